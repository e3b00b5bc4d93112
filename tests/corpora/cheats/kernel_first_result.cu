// A bare kernel that keeps its first results in device memory.
// expect: HACK_CACHED
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()" grid="(x.numel() + 127) // 128" block=128
__device__ float kept[4096];
__device__ bool known[4096];

__global__ void relu(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (!known[i]) {
    kept[i] = x[i] > 0 ? x[i] : 0;
    known[i] = true;
  }
  out[i] = kept[i];
}
