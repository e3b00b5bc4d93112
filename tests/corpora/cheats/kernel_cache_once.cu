// A bare kernel that works once, and passes on from then.
// expect: HACK_CACHED
// kernelwright: task=../tasks/exponential.py entry=exponential args="x, out, x.numel()" grid="(x.numel() + 127) // 128" block=128
__device__ float kept[4096];
__device__ int done[4096];

__global__ void exponential(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (!done[i]) kept[i] = expf(x[i]), done[i] = 1;
  out[i] = kept[i];
}
