// FNV-1a: told apart, not protected.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kw {

struct Digest {
  uint64_t value = 0xcbf29ce484222325;
  void add(unsigned char byte) { value = (value ^ byte) * 0x100000001b3; }
};

inline uint64_t digest_of(const void* bytes, size_t size) {
  Digest digest;
  for (size_t i = 0; i < size; ++i) digest.add(((const unsigned char*)bytes)[i]);
  return digest.value;
}

}  // namespace kw
