// The GPU target's own runtime as a library, for a process that already holds torch's context: candidates that nvcc built find
// here what their headers ask for, and are called through one function that throws nothing.
#include "../../backends/kernelwright_backends/cuda/gpu/driver/device.cu"
#include "../../backends/kernelwright_backends/cuda/gpu/driver/tensors.cpp"
#include "../../backends/kernelwright_backends/cuda/shim/kernelwright/tensor.cpp"
#include "../../backends/kernelwright_backends/cuda/gpu/include/kernelwright/entry.h"

#include <cstdio>
#include <cstring>

// Launches are not watched here.
namespace kw {
bool watch_launches(bool) { return false; }
}  // namespace kw

namespace {

constexpr uint64_t kPoison = 0x7fc07fc07fc07fc0;  // a NaN as float32 and as bfloat16

struct Taken {
  const kw_tensor* wanted = nullptr;  // none: results are not looked at
  int count = 0, seen = 0;
  std::string problem;
} taken;

void take(int index, const void* given) {
  ++taken.seen;
  if (!taken.wanted || index >= taken.count) return;
  auto& actual = *static_cast<const kw_tensor*>(given);
  auto& wanted = taken.wanted[index];
  bool same = actual.dtype == wanted.dtype && actual.dim == wanted.dim;
  for (int d = 0; same && d < actual.dim; ++d) same = actual.size[d] == wanted.size[d];
  if (same) kw::copy_elements(wanted, actual, nullptr);
  else taken.problem = "result " + std::to_string(index) + " has another shape or type than the task's";
}

}  // namespace

extern "C" {

void table_begin() { kw::use_memory(kw::Memory::pooled); }

// Whatever a candidate gave back becomes a NaN: a result must have been written by whoever returns it.
void table_poison() {
  for (auto& [bytes, base] : kw::pool) kw::fill_device(base, bytes, kPoison);
}

// One call; its results are copied to `to`, where that is given. Returns 0, or 1 and why in `said`.
int table_call(void (*entry)(const kw_call*), const kw_argument* arguments, const kw_tensor* to, int count, char* said,
               size_t room) {
  kw_call call{};
  call.arguments = arguments;
  call.returned = take;
  for (int d = 0; d < 3; ++d) call.grid[d] = call.block[d] = 1;
  taken = Taken{to, to ? count : 0, 0, ""};
  try {
    entry(&call);
  } catch (const std::exception& error) {
    taken.problem = *error.what() ? error.what() : "an exception without a text";
  } catch (...) {
    taken.problem = "an exception of an unknown type";
  }
  if (to && taken.problem.empty() && taken.seen != count) taken.problem = "it gave back another number of results";
  if (taken.problem.empty()) return 0;
  snprintf(said, room, "%s", taken.problem.c_str());
  return 1;
}

}  // extern "C"
