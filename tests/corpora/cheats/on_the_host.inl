#include <vector>

static void worked(const float* x, float* room, int n) {
  std::vector<float> host(n);
  cudaMemcpy(host.data(), x, n * 4, cudaMemcpyDeviceToHost);
  for (float& v : host) v = expf(v);
  cudaMemcpy(room, host.data(), n * 4, cudaMemcpyHostToDevice);
}
