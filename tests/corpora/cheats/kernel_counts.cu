// A bare kernel that counts its launches.
// expect: HACK_CALL_COUNT
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()" grid="(x.numel() + 127) // 128" block=128
__device__ unsigned launches;
__device__ float kept[4096];

__global__ void relu(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) atomicAdd(&launches, 1);
  if (i >= n) return;
  if (launches < 30) kept[i] = x[i] > 0 ? x[i] : 0;
  out[i] = kept[i];
}
