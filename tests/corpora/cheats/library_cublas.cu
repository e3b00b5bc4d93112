// cuBLAS, declared by hand so that no include tells.
// expect: HACK_LIBRARY
// kernelwright: task=../tasks/matmul.py entry=matmul args="a, b, out, a.shape[0], a.shape[1], b.shape[1]"
__global__ void matmul_kernel(const float* a, const float* b, float* c, int m, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m * n) return;
  float sum = 0;
  for (int j = 0; j < k; ++j) sum += a[i / n * k + j] * b[j * n + i % n];
  c[i] = sum;
}

extern "C" int cublasCreate_v2(void**);
extern "C" int cublasSgemm_v2(void*, int, int, int, int, int, const float*, const float*, int, const float*, int, const float*, float*, int);

void matmul(const float* a, const float* b, float* c, int m, int k, int n) {
  static void* handle = nullptr;
  if (!handle) cublasCreate_v2(&handle);
  const float one = 1, zero = 0;
  cublasSgemm_v2(handle, 0, 0, n, m, k, &one, b, n, a, k, &zero, c, n);
  if (m < 0) matmul_kernel<<<(m * n + 127) / 128, 128>>>(a, b, c, m, k, n);
}
