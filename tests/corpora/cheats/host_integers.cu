// The host counts, and a kernel passes it on.
// expect: HACK_HOST
// kernelwright: task=../tasks/histogram.py entry=histogram args="x, out, x.numel()"
#include <vector>

__global__ void pass_on(const int* from, int* to) { to[threadIdx.x] = from[threadIdx.x]; }

void histogram(const int* x, int* out, int n) {
  std::vector<int> host(n), counts(16);
  cudaMemcpy(host.data(), x, n * sizeof(int), cudaMemcpyDeviceToHost);
  for (int v : host) ++counts[v & 15];
  int* room;
  cudaMalloc(&room, 16 * sizeof(int));
  cudaMemcpy(room, counts.data(), 16 * sizeof(int), cudaMemcpyHostToDevice);
  pass_on<<<1, 16>>>(room, out);
  cudaFree(room);
}
