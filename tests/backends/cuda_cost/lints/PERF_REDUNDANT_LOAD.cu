// C = A B: every warp of a block loads the same of B, and a tile in shared memory.
__global__ void plain(const float* a, const float* b, float* out, int n) {
  int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * n + column];  // expect
  out[row * n + column] = sum;
}
void wasteful(const float* a, const float* b, float* out, int n) {
  plain<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(a, b, out, n);
}
__global__ void tiled(const float* a, const float* b, float* out, int n) {
  __shared__ float as[32][32], bs[32][32];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y, column = blockIdx.x * 32 + x;
  float sum = 0;
  for (int k0 = 0; k0 < n; k0 += 32) {
    as[y][x] = a[row * n + k0 + x];
    bs[y][x] = b[(k0 + y) * n + column];
    __syncthreads();
    for (int k = 0; k < 32; ++k) sum += as[y][k] * bs[k][x];
    __syncthreads();
  }
  out[row * n + column] = sum;
}
void thrifty(const float* a, const float* b, float* out, int n) {
  tiled<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(a, b, out, n);
}
