// Every memory access of the candidate, as the compiler's thread-sanitizer instrumentation tells of it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exec/hooks.h"

namespace kw {

// A device access to [address, address + size) of the heap, of which byte `first_bad` is outside of live allocations.
void report_global(uintptr_t address, size_t size, size_t first_bad, bool write, const void* site);

}  // namespace kw
