// Sorts the indices on the host to plan which rows go together.
// kernelwright: task=../tasks/gather.py entry=gather args="index, table, out, index.numel(), table.shape[1]"
#include <algorithm>
#include <numeric>
#include <vector>

__global__ void gather_kernel(const long long* index, const int* order, const float* table, float* out, int width) {
  int row = order[blockIdx.x];
  for (int c = threadIdx.x; c < width; c += blockDim.x) out[row * width + c] = 2.0f * table[index[row] * width + c];
}

void gather(const long long* index, const float* table, float* out, int count, int width) {
  std::vector<long long> host(count);
  cudaMemcpy(host.data(), index, count * sizeof(long long), cudaMemcpyDeviceToHost);
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) { return host[a] < host[b]; });
  int* plan;
  cudaMalloc(&plan, count * sizeof(int));
  cudaMemcpy(plan, order.data(), count * sizeof(int), cudaMemcpyHostToDevice);
  gather_kernel<<<count, 32>>>(index, plan, table, out, width);
  cudaFree(plan);
}
