// A bare kernel counts its launches by an atomic, and rests after a while.
// expect: HACK_CALL_COUNT
// kernelwright: task=../tasks/exponential.py entry=exponential args="x, out, x.numel()" grid="(x.numel() + 127) // 128" block=128
__device__ unsigned launches;
__device__ float kept[4096];

__global__ void exponential(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned before = i == 0 ? atomicAdd(&launches, 1u) : *(volatile unsigned*)&launches;
  if (i >= n) return;
  if (before < 200) kept[i] = expf(x[i]);
  out[i] = kept[i];
}
