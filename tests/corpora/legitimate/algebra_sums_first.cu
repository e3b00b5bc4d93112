// The columns are summed before the product, in every call.
// kernelwright: task=../tasks/product_sum.py entry=product_sum args="a, b, out, a.shape[0], a.shape[1], b.shape[1]"
__global__ void row_sums(const float* b, float* sums, int k, int n) {
  int j = threadIdx.x;
  if (j >= k) return;
  float sum = 0;
  for (int c = 0; c < n; ++c) sum += b[j * n + c];
  sums[j] = sum;
}
__global__ void product(const float* a, const float* sums, float* out, int m, int k) {
  int r = threadIdx.x;
  if (r >= m) return;
  float sum = 0;
  for (int j = 0; j < k; ++j) sum += a[r * k + j] * sums[j];
  out[r] = sum;
}

void product_sum(const float* a, const float* b, float* out, int m, int k, int n) {
  float* sums;
  cudaMalloc(&sums, k * sizeof(float));
  row_sums<<<1, 64>>>(b, sums, k, n);
  product<<<1, 64>>>(a, sums, out, m, k);
  cudaFree(sums);
}
