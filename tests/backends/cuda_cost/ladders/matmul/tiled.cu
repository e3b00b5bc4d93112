__global__ void multiply(const float* a, const float* b, float* out, int n) {
  __shared__ float as[32][32], bs[32][32];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y, column = blockIdx.x * 32 + x;
  float sum[4] = {};
  for (int k0 = 0; k0 < n; k0 += 32) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      as[y + 8 * i][x] = a[(row + 8 * i) * n + k0 + x];
      bs[y + 8 * i][x] = b[(k0 + y + 8 * i) * n + column];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; ++k) {
      float v = bs[k][x];
#pragma unroll
      for (int i = 0; i < 4; ++i) sum[i] += as[y + 8 * i][k] * v;
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) out[(row + 8 * i) * n + column] = sum[i];
}
void run(const float* a, const float* b, float* out, int n) {
  multiply<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(a, b, out, n);
}
