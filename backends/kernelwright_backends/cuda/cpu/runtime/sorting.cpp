// The order of keys for CUB: here, since what runs on the device may not touch memory of the host.
#include <algorithm>
#include <numeric>

#include "../include/kernelwright/abi.h"

extern "C" void kw_stable_order(const uint64_t* keys, size_t count, uint32_t* order) {
  std::iota(order, order + count, 0u);
  std::stable_sort(order, order + count, [&](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
}
