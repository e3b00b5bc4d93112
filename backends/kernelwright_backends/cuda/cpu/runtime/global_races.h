// Races on global memory: two threads of a launch store different values to the same place, and nothing orders them.
//
// Only what is beyond doubt is told. Loads are left out (flags that all may set are read while they are set), so are
// elements below four bytes, lanes of one warp, and launches that synchronise through fences, atomics or volatile memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "block.h"

namespace kw {

bool reserve_global_cells();

// `epoch` is an interval between barriers of `block`.
void note_interval(const Block& block);
// Before a plain store of the current thread to the heap.
void global_store(uintptr_t address, size_t size, uint16_t site_number, const void* site);
// The store before is done by now: did it change the value?
void settle_pending_global_store();
// The launch has done something that may order its threads.
void note_synchronisation();

// All threads of the grid have met: nothing before races with what starts with the interval `next_epoch`.
void order_everything(uint32_t next_epoch);

void begin_global_races(uint32_t next_epoch);
void end_global_races(const Launch& launch);

}  // namespace kw
