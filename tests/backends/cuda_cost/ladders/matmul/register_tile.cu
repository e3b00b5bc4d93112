__global__ void multiply(const float* a, const float* b, float* out, int n) {
  __shared__ float as[16][65], bs[16][64];
  int t = threadIdx.x, x = t % 16, y = t / 16, row = blockIdx.y * 64, column = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += 16) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      int e = t + i * 256;
      as[e % 16][e / 16] = a[(row + e / 16) * n + k0 + e % 16];
      bs[e / 64][e % 64] = b[(k0 + e / 64) * n + column + e % 64];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      float u[4], v[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) u[i] = as[k][y * 4 + i], v[i] = bs[k][x + i * 16];
#pragma unroll
      for (int p = 0; p < 4; ++p)
#pragma unroll
        for (int q = 0; q < 4; ++q) sum[p][q] += u[p] * v[q];
    }
    __syncthreads();
  }
  for (int p = 0; p < 4; ++p)
    for (int q = 0; q < 4; ++q) out[(row + y * 4 + p) * n + column + x + q * 16] = sum[p][q];
}
void run(const float* a, const float* b, float* out, int n) { multiply<<<dim3(n / 64, n / 64), 256>>>(a, b, out, n); }
