// The last result serves again if a few elements are the same.
// expect: HACK_CACHED
// kernelwright: task=../tasks/matmul.py entry=matmul args="a, b, out, a.shape[0], a.shape[1], b.shape[1]"
__device__ float last_a, last_b, last_c;
__device__ float kept[4096];

__global__ void matmul_kernel(const float* a, const float* b, float* c, int m, int k, int n) {
  bool same = a[0] == last_a && b[k * n - 1] == last_b && a[m * k / 2] == last_c;
  for (int i = threadIdx.x; i < m * n; i += blockDim.x) {
    if (!same) {
      float sum = 0;
      for (int j = 0; j < k; ++j) sum += a[i / n * k + j] * b[j * n + i % n];
      kept[i] = sum;
    }
    c[i] = kept[i];
  }
  __syncthreads();
  if (threadIdx.x == 0) last_a = a[0], last_b = b[k * n - 1], last_c = a[m * k / 2];
}

void matmul(const float* a, const float* b, float* c, int m, int k, int n) {
  matmul_kernel<<<1, 128>>>(a, b, c, m, k, n);
}
