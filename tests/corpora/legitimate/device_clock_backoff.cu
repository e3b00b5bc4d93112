// A lock whose waiters look at the clock.
// kernelwright: task=../tasks/total.py entry=total args="x, out, x.numel()"
__device__ int lock_;
__global__ void clear(float* y) { *y = 0; }
__global__ void k(const float* x, float* y, int n) {
  __shared__ float s[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int d = 64; d; d >>= 1) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    while (atomicCAS(&lock_, 0, 1) != 0) {
      long long t = clock64();
      while (clock64() - t < 500) {
      }
    }
    *(volatile float*)y = *(volatile float*)y + s[0];
    __threadfence();
    atomicExch(&lock_, 0);
  }
}
void total(const float* x, float* y, int n) {
  clear<<<1, 1>>>(y);
  k<<<(n + 127) / 128, 128>>>(x, y, n);
}
