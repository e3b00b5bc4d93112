// Counting instead of checking: launches at full size of which only sampled blocks are executed (docs/development/cuda_on_cpu.md, Latency).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "exec/block.h"
#include "host/runtime/json.h"
#include "check/shared_races.h"

namespace kw {

// Set once, before the object is loaded: accesses are recorded for their cost and otherwise left alone.
extern bool tracing;

// The chip's extents that decide what is sampled and how much a cache holds.
struct TraceChip {
  uint64_t processors = 132, l1_bytes = 256 << 10, l2_bytes = 45 << 20, shared_per_processor = 228 << 10;
  uint64_t threads_per_processor = 2048, blocks_per_processor = 32, registers_per_processor = 65536;
};
// Of a `program` every launch is executed whole as well, and every copy made: its host code goes on with the results. `apart`: the
// kernels whose pointers say that no store changes what is loaded through another.
void start_tracing(const TraceChip& chip, bool program, std::set<std::string> apart);

// ---- what the runtime tells while a sampled block executes --------------------------------------------------------------

// An access to shared memory (`shared`) or to the device heap; `real`: an atomic operation on floating-point numbers.
void trace_access(uintptr_t address, size_t size, How how, bool shared, bool real, const void* site);
// All live threads of the block have arrived at its barrier; `site`: where it stands, of one that does no more than wait.
void trace_barrier(const Block& in, const void* site);
// The calling thread's fence or volatile access: what other blocks see may be ordered by it.
void trace_signal();
// Threads of the block are ordered by something else than its barrier.
void trace_other_order();
// What asynchronous copies load and store is marked: it is never waited for until the calling thread waits for their groups.
void trace_asynchronous(bool begins);
void trace_wait_for_copies(unsigned newest_left);
// These lanes of the warp of `first` have met in a warp operation; `compute` gives each of them its result. Products of
// matrices are not computed, but for a program: no launch takes another way for what they come to.
void trace_collective(Thread* first, unsigned members, int kind, const std::function<void()>& compute);
// No thread of the block can go on, unless another block, which is not executed, lets it.
void trace_stuck();

// ---- what the host does -------------------------------------------------------------------------------------------------

// Executes sampled blocks of a launch, and of a program's launch then all. False if that failed.
bool trace_launch(Launch& what, const void* function);
// A copy or fill of device memory. True: too large to be done, it is only counted.
bool trace_bulk(const char* kind, const void* target, size_t size);

// How streams and events order launches: `event` stands for what `stream` has to do so far; `stream` goes on after it.
void trace_new_stream(const void* stream, bool blocking);
void trace_use_stream(const void* stream);  // for the next copies and fills
void trace_event(const void* event, const void* stream);
void trace_wait_for_event(const void* stream, const void* event);
// The host waits for everything.
void trace_host_waits();

void write_trace(JsonWriter& answer);
// Why a launch could not be traced; empty if all could.
const std::string& trace_failure();

}  // namespace kw
