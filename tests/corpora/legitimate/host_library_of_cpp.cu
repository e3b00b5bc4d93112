// Locks, shared pointers, texts and exceptions of the C++ library.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <any>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <unordered_map>
#include <variant>

__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

static std::mutex guard;

struct Base { virtual ~Base() = default; virtual int block() const { return 128; } };
struct Wide : Base { int block() const override { return 256; } };

void relu(const float* x, float* out, int n) {
  std::lock_guard<std::mutex> held(guard);
  std::unordered_map<std::string, std::shared_ptr<Base>> kinds;
  kinds["narrow"] = std::make_shared<Base>();
  kinds["wide"] = std::make_shared<Wide>();
  std::shared_ptr<Base> kind = kinds.at(n > 512 ? "wide" : "narrow");
  std::optional<int> given = std::stoi("0" + std::to_string(n));
  std::variant<int, std::string> either = std::string("none");
  std::ostringstream text;
  text << "relu of " << *given << " elements " << either.index();
  if (text.str().size() > 1000 || !dynamic_cast<Base*>(kind.get())) throw "impossible";
  if (cudaPeekAtLastError() != cudaSuccess) perror("relu");
  relu_kernel<<<(n + kind->block() - 1) / kind->block(), kind->block()>>>(x, out, n);
}
