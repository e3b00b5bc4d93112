// The device as its properties tell of it.
#pragma once

#include <cstdint>

namespace kw {

struct Chip {
  const char* name = "NVIDIA H200";  // as the device says: no candidate is to tell the two apart
  int major = 9, minor = 0;
  unsigned processors = 132;
  unsigned threads_per_block = 1024, threads_per_processor = 2048, blocks_per_processor = 32;
  uint64_t shared_per_block = 48 << 10, shared_per_block_optin = 227 << 10, shared_per_processor = 228 << 10;
  uint64_t memory = uint64_t(141) << 30, l2 = 50 << 20;
  unsigned registers_per_block = 65536, clock_khz = 1980000, memory_clock_khz = 3201000, bus_bits = 6144;
};

}  // namespace kw
