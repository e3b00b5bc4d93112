// The host works out a table from the sizes alone and sends it in each call.
// kernelwright: task=../tasks/transpose.py entry=transpose args="x, out, x.shape[0], x.shape[1]"
#include <vector>
__global__ void gather_kernel(const float* x, const int* from, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[from[i]];
}
void transpose(const float* x, float* out, int m, int n) {
  std::vector<int> from(m * n);
  for (int i = 0; i < m * n; ++i) from[i] = i % m * n + i / m;
  int* table;
  cudaMalloc(&table, m * n * sizeof(int));
  cudaMemcpy(table, from.data(), m * n * sizeof(int), cudaMemcpyHostToDevice);
  gather_kernel<<<(m * n + 127) / 128, 128>>>(x, table, out, m * n);
  cudaFree(table);
}
