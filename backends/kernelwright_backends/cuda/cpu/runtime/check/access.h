// Every memory access of the candidate, as the compiler's thread-sanitizer instrumentation tells of it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kw {

// A device access to [address, address + size) of the heap, of which byte `first_bad` is outside of live allocations.
void report_global(uintptr_t address, size_t size, size_t first_bad, bool write, const void* site);

// An access that needs an address which is a multiple of its size.
void report_misaligned(uintptr_t address, size_t size, bool write, const void* site);

// Where the candidate was last seen, for what interrupts it.
extern const void* last_site;

// The launch was told to end by a signal while our own code ran: it does so at its next access.
extern volatile bool abort_requested;

}  // namespace kw
