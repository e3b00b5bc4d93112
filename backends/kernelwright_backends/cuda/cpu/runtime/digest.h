// Told apart, not protected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kw {

// FNV-1a, of what comes in pieces.
struct Digest {
  uint64_t value = 0xcbf29ce484222325;
  void add(unsigned char byte) { value = (value ^ byte) * 0x100000001b3; }
};

// Of a whole buffer: words in four lanes, whose multiplications do not wait for each other.
inline uint64_t digest_of(const void* bytes, size_t size) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  uint64_t lanes[4] = {size, 1, 2, 3};
  auto* at = (const unsigned char*)bytes;
  auto mixed = [](uint64_t lane, uint64_t word) {
    lane = (lane ^ word) * kOdd;
    return lane ^ lane >> 32;
  };
  uint64_t words[4];
  for (; size >= sizeof words; at += sizeof words, size -= sizeof words) {
    memcpy(words, at, sizeof words);
    for (int i = 0; i < 4; ++i) lanes[i] = mixed(lanes[i], words[i]);
  }
  memset(words, 0, sizeof words);
  memcpy(words, at, size);
  uint64_t all = 0;
  for (int i = 0; i < 4; ++i) all = mixed(all, mixed(lanes[i], words[i]));
  return all;
}

}  // namespace kw
