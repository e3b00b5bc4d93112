// The device as the host sees it: its limits, its last error, what ends the candidate.
#pragma once

#include <cstdint>

struct kw_launch_config;

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
extern Chip chip;

// CUDA's error numbers. A device error is sticky, a refused launch is reported once.
void set_device_error(int error);
void set_launch_error(int error);
int take_error();
int peek_error();
int sync_error();
struct Record;
// A call or launch failed; whether somebody asks for the error decides what that is worth.
void note_unchecked(Record& finding);
void note_errors_seen();

// Ends the call of the entry (not the driver) with this explanation.
[[noreturn]] void crash_host(const char* why);

// Dynamic shared memory that `cudaFuncSetAttribute` allows a kernel; null stands for one that is not known.
void allow_shared(const void* function, uint64_t bytes);
uint64_t allowed_shared(const void* function);

// Clusters of more blocks than every device of the architecture has room for.
void allow_nonportable_clusters(const void* function, bool yes);
bool nonportable_clusters(const void* function);

uint64_t launches();
uint64_t launched_kernels();  // different ones

struct Launch;
// Runs a launch that nothing stands against, unless it repeats an earlier one.
void execute(Launch& what, const void* function);
// How many blocks of a launch may be alive at once on the device, and here.
unsigned blocks_on_chip(const kw_launch_config& config);
unsigned resident_on_chip(const Launch& what);

}  // namespace kw
