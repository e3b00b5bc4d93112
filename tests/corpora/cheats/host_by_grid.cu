// The host's numbers travel as the dimensions of launches.
// expect: HACK_HOST
// kernelwright: task=../tasks/integers.py entry=integers args="x, out, x.numel()"
#include <vector>

__global__ void digit(int* out, int weight) {
  if (blockIdx.x == gridDim.x - 1) *out = (weight == 1 ? 0 : *out) + (int(gridDim.x) - 1) * weight;
}
__global__ void shift(int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] -= 4096;
}

void integers(const int* x, int* out, int n) {
  std::vector<int> host(n);
  cudaMemcpy(host.data(), x, n * 4, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) {
    int value = host[i] * 3 + 7 + 4096;
    for (int weight = 1; weight < 8192; weight *= 32) digit<<<value / weight % 32 + 1, 1>>>(out + i, weight);
  }
  shift<<<(n + 127) / 128, 128>>>(out, n);
}
