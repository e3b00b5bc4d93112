// Room for the sums of a part of the blocks that the full size has: what is behind it belongs to nobody.
// expect: MEM_OUT_OF_BOUNDS
// kernelwright: task=../tasks/large_scale.py entry=doubled args="x, out, x.numel()"
struct Places {
  char of[32][32];
};
__device__ float first[sizeof(Places) * 32];
__global__ void firsts(const float* x) {
  if (!threadIdx.x) first[blockIdx.x] = 2 * x[blockIdx.x * 64];
}
__global__ void others(const float* x, float* out, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) out[i] = threadIdx.x ? 2 * x[i] : first[blockIdx.x];
}
void doubled(const float* x, float* out, int n) {
  firsts<<<(n + 63) / 64, 64>>>(x);
  others<<<(n + 63) / 64, 64>>>(x, out, n);
}
