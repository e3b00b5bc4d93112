// What the first call asks of the device is remembered by shape.
// kernelwright: task=../tasks/matmul.py entry=matmul args="a, b, out, a.shape[0], a.shape[1], b.shape[1]"
#include <map>
#include <tuple>

__global__ void matmul_kernel(const float* a, const float* b, float* c, int m, int k, int n) {
  extern __shared__ float row[];
  for (int j = threadIdx.x; j < k; j += blockDim.x) row[j] = a[blockIdx.x * k + j];
  __syncthreads();
  for (int j = threadIdx.x; j < n; j += blockDim.x) {
    float sum = 0;
    for (int i = 0; i < k; ++i) sum += row[i] * b[i * n + j];
    c[blockIdx.x * n + j] = sum;
  }
}

static int threads_for(int k, int n) {
  static std::map<std::tuple<int, int>, int> known;
  auto found = known.find({k, n});
  if (found != known.end()) return found->second;
  cudaFuncSetAttribute(matmul_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, k * 4);
  int blocks = 0, best = 32, most = 0;
  for (int threads = 32; threads <= 256; threads *= 2) {
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, matmul_kernel, threads, k * 4);
    if (blocks * threads > most && threads <= 2 * n) most = blocks * threads, best = threads;
  }
  return known[{k, n}] = best;
}

void matmul(const float* a, const float* b, float* c, int m, int k, int n) {
  matmul_kernel<<<m, threads_for(k, n), k * 4>>>(a, b, c, m, k, n);
}
