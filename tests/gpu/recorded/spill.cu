__global__ void __launch_bounds__(1024, 2) heavy(const float* x, float* y, int n) {
  float kept[96]; __shared__ float s[64];
  #pragma unroll
  for (int i = 0; i < 96; ++i) kept[i] = x[i * n + threadIdx.x];
  s[threadIdx.x & 63] = kept[3]; __syncthreads();
  #pragma unroll
  for (int i = 0; i < 96; ++i) y[i * n + threadIdx.x] = kept[95 - i] * kept[i] + s[i & 63];
}
