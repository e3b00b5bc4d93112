// The device's timer moves in coarse steps; a host's clock never stands still.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/relu_plain.py entry=run args="x, out, x.numel()"
__device__ unsigned long long now() { unsigned long long t; asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t)); return t; }
__global__ void k(const float* x, float* y, int n) {
  __shared__ bool coarse;
  if (!threadIdx.x) { unsigned long long t = now(); coarse = now() == t; }
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = coarse ? x[i] : fmaxf(x[i], 0.f);
}
void run(const float* x, float* y, int n) { k<<<(n + 255) / 256, 256>>>(x, y, n); }
