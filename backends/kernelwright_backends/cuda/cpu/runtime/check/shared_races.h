// Races on shared memory: two threads, one of them writing, nothing that orders them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exec/access_kind.h"
#include "exec/block.h"
#include "exec/hooks.h"
#include "state/context.h"

namespace kw {

// An access to shared memory of the current block by the current thread.
void shared_access(uintptr_t address, size_t size, How how, bool is_volatile, const void* site);
// The same of the shared memory of another block of the cluster: does the place exist, was it written?
void others_shared_access(const Block& owner, uintptr_t address, size_t size, How how, const void* site);
// Bytes of shared memory that are about to be stored, in whatever way.
void mark_initialised(const Block& owner, uintptr_t address, size_t size);
void begin_shared_races();
void end_shared_races();

}  // namespace kw
