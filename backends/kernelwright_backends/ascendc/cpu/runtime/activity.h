// What one call of the entry does besides computing, for checks A2, A5, A7 and A8 of docs/development/checks.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>
#include <functional>

#include "core.h"

namespace kw {

struct Activity {
  uint64_t launches = 0, cores = 0, accesses = 0;  // accesses: copies from and to global memory, and instructions of the vector unit
  uint64_t read_by_host = 0;                       // bytes of global memory that the host was given
  uint64_t results_read = 0;                       // of these, numbers that kernels had stored
  uint64_t sent_back = 0;                          // bytes that the host then gave the device, and was not given as they are
  Site read_site = 0, poison_site = 0;             // the first; where the host looked at an output that nobody had stored into
};
extern Activity activity;

// The host is given `copy`, the content of global memory. Where `perturb_host_reads` is set, it is given other numbers: what then
// comes out differently was computed on the host.
extern bool perturb_host_reads;
void host_was_given(const Allocation& from, void* copy, size_t bytes, Site site);
void host_gave(const void* from, size_t bytes);  // to the device: by a copy, or as an argument of a kernel
void begin_activity();
// Whether the host went on with what kernels had computed: it was given some of it, and sent other numbers back.
bool went_on_by_host(const Activity& call);

// ---- which elements of the inputs the device loads: by its copies exactly, through bare pointers by the page
void watch_loads(Allocation& allocation);
void loaded(Allocation& allocation, size_t begin, size_t end);
void reads_next(const void* address, size_t bytes);  // an interface is about to: its fault is none of the candidate's
bool bare_load(const void* address);                 // a fault: false if nobody watches there
void close_pages();                                  // another interface is called
void stop_watching();

// ---- what is counted from call to call: variables of the object, and small memory that it keeps on the device and the host
void candidate_code(uintptr_t begin, uintptr_t end);  // whose calls of the allocator are noted from now on
void each_taken(const std::function<void(uint8_t*, size_t)>& visit);
bool is_taken(const uint8_t* address);
void find_variables(const char* object);
void counters_end_call();
// After a call that had the inputs of the one before: does something change by itself, and by no step that could be moved on?
bool something_drifts();
extern bool device_rests;  // the host's code runs alone: launches are counted, nothing is computed or copied
extern bool kernels_rest;  // launches are counted, nothing is computed; what is copied is copied
// Whether the candidate's variables hold one of these addresses.
bool keeps_one_of(const std::vector<void*>& addresses);
// Moves what advances by the same step in every call on by `calls` steps; false where nothing does.
bool advance_counters(int64_t calls);

}  // namespace kw
