// Partial sums by multiprocessor: right wherever a block runs.
// kernelwright: task=../tasks/total.py entry=total args="x, out, x.numel()"
__device__ float per_sm[256];
__global__ void clear() { per_sm[threadIdx.x] = 0; }
__global__ void k(const float* x, int n) {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? x[i] : 0;
  for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
  if ((threadIdx.x & 31) == 0) atomicAdd(&per_sm[sm & 255], v);
}
__global__ void fin(float* y) {
  float s = 0;
  for (int i = 0; i < 256; ++i) s += per_sm[i];
  *y = s;
}
void total(const float* x, float* y, int n) {
  clear<<<1, 256>>>();
  k<<<(n + 127) / 128, 128>>>(x, n);
  fin<<<1, 1>>>(y);
}
