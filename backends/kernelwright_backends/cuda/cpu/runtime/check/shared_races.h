// Races on shared memory: two threads, one of them writing, nothing that orders them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exec/access_kind.h"
#include "exec/block.h"

namespace kw {

// An access to shared memory of the current block by the current thread.
void shared_access(uintptr_t address, size_t size, How how, bool is_volatile, const void* site);
// The same of the shared memory of another block of the cluster: does the place exist, was it written?
void others_shared_access(const Block& owner, uintptr_t address, size_t size, How how, const void* site);
// Two threads that store the same value do no harm: whether they do is known only after the store.
extern bool store_is_pending;  // of shared or of global memory
void settle_stores();
inline void settle_pending_store() {
  if (store_is_pending) [[unlikely]]
    settle_stores();
}
// The lanes `members` of the warp of `first` have met: what each did so far is ordered before what any does next.
void join_clocks(Block& block, Thread* first, unsigned members);
// Bytes of shared memory that are about to be stored, in whatever way.
void mark_initialised(const Block& owner, uintptr_t address, size_t size);
// Bytes of shared memory that an asynchronous copy has yet to deliver.
void mark_pending(uintptr_t address, size_t size, bool pending);
void make_cells(size_t arena);
void begin_shared_races();
void end_shared_races();

}  // namespace kw
