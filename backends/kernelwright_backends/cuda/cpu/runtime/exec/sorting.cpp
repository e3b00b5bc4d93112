// The order of keys for CUB: here, since what runs on the device may not touch memory of the host.
#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "../../include/kernelwright/abi.h"

namespace {

constexpr size_t kFew = 1024;  // up to here comparisons cost less than tables
constexpr unsigned kDigitBits = 11;
constexpr uint64_t kDigits = uint64_t(1) << kDigitBits;

struct Placed {
  uint64_t key;
  uint32_t from;
};

// By digits from the lowest on, each in the order of those below it. Digits in which all keys agree are left out.
void order_by_digits(const uint64_t* keys, size_t count, uint32_t* order) {
  std::vector<Placed> placed(count), next(count);
  uint64_t differing = 0;
  for (size_t i = 0; i < count; ++i) {
    placed[i] = {keys[i], uint32_t(i)};
    differing |= keys[i] ^ keys[0];
  }
  for (unsigned shift = 0; shift < 64; shift += kDigitBits) {
    if (!(differing >> shift & (kDigits - 1))) continue;
    std::array<size_t, kDigits> starts{};
    for (auto& each : placed) ++starts[each.key >> shift & (kDigits - 1)];
    std::exclusive_scan(starts.begin(), starts.end(), starts.begin(), size_t(0));
    for (auto& each : placed) next[starts[each.key >> shift & (kDigits - 1)]++] = each;
    placed.swap(next);
  }
  for (size_t i = 0; i < count; ++i) order[i] = placed[i].from;
}

}  // namespace

extern "C" void kw_stable_order(const uint64_t* keys, size_t count, uint32_t* order) {
  if (count > kFew) return order_by_digits(keys, count, order);
  std::iota(order, order + count, 0u);
  std::stable_sort(order, order + count, [&](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
}
