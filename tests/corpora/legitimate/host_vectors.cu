// Host code with the containers of the C++ library.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

void relu(const float* x, float* out, int n) {
  std::map<std::string, int> sizes{{"block", 128}};
  std::unordered_map<int, int> more{{1, n}};
  std::vector<std::array<int, 2>> parts;
  for (int first = 0; first < n; first += 400) parts.push_back({first, std::min(400, n - first)});
  std::function<int(int)> blocks = [&](int count) { return (count + sizes["block"] - 1) / sizes["block"]; };
  auto room = std::make_unique<int>(more[1]);
  for (auto [first, count] : parts) relu_kernel<<<blocks(count), sizes["block"]>>>(x + first, out + first, count);
}
