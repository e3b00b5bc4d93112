// Long jumps of XORWOW: its five words are a linear map of their bits, which is raised to the power of the jump.
#include <cstring>
#include <vector>

#include "../../include/kernelwright/abi.h"

namespace {

constexpr unsigned kWords = 5, kBits = 160;

struct Vector {
  uint32_t words[kWords] = {};
  bool bit(unsigned i) const { return words[i / 32] >> (i % 32) & 1; }
};
// The images of the single bits.
struct Matrix {
  Vector columns[kBits];
  Vector operator*(const Vector& from) const {
    Vector result;
    for (unsigned i = 0; i < kBits; ++i)
      if (from.bit(i))
        for (unsigned w = 0; w < kWords; ++w) result.words[w] ^= columns[i].words[w];
    return result;
  }
};

Vector step(Vector s) {
  auto t = s.words[0] ^ (s.words[0] >> 2);
  for (unsigned i = 0; i < 4; ++i) s.words[i] = s.words[i + 1];
  s.words[4] = (s.words[4] ^ (s.words[4] << 4)) ^ (t ^ (t << 1));
  return s;
}

// Of 2^exponent steps.
const Matrix& power(unsigned exponent) {
  static std::vector<Matrix> powers;
  if (powers.capacity() < 64 + 67) powers.reserve(64 + 67);
  if (powers.empty()) {
    auto& first = powers.emplace_back();
    for (unsigned i = 0; i < kBits; ++i) {
      Vector one;
      one.words[i / 32] = 1u << (i % 32);
      first.columns[i] = step(one);
    }
  }
  while (powers.size() <= exponent) {
    const auto half = powers.back();
    auto& next = powers.emplace_back();
    for (unsigned i = 0; i < kBits; ++i) next.columns[i] = half * half.columns[i];
  }
  return powers[exponent];
}

}  // namespace

extern "C" void kw_xorwow_skip(uint32_t* words, uint64_t count, unsigned log2_unit) {
  Vector state;
  memcpy(state.words, words, sizeof state.words);
  for (unsigned i = 0; count; ++i, count >>= 1)
    if (count & 1) state = power(i + log2_unit) * state;
  memcpy(words, state.words, sizeof state.words);
}
