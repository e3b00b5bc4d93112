// What one call of the entry does besides computing, for checks A2, A5 and A7 to A9 of docs/development/checks.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kw {

struct Activity {
  uint64_t launches = 0, threads = 0, accesses = 0;  // of the device; accesses to the heap and to device variables
  uint64_t read_by_host = 0;                         // bytes of device memory that the host was given
  uint64_t results_read = 0;                         // of these, numbers that kernels stored into memory of the candidate's own
  uint64_t sent_back = 0;                            // bytes that the host then gave the device, and was not given as they are
  const void* read_site = nullptr;                   // where most of them at once
  uint64_t most_read = 0;
  const void* poison_site = nullptr;  // where the host looked at an output that nobody had stored into
};
extern Activity activity;

// The host is given `copy`, the content of device memory at `from`. Where `perturb_host_reads` is set, it is given other
// numbers: what then comes out differently was computed on the host.
extern bool perturb_host_reads;
extern bool integers_count;  // the task has no other inputs; else they are sizes, offsets, indices that a launch is made for
void host_was_given(uintptr_t from, void* copy, size_t size, const void* site);
void host_gave(const void* from, size_t size);  // to the device
void host_gave_arguments(const void* from, size_t size);  // to a kernel, by value
void host_looks(uintptr_t address, size_t size, const void* site);  // into managed memory, before it does
void host_keeps(uintptr_t address, size_t size);  // it stores there
void host_keeps_all(uintptr_t start, size_t size);  // as it is
void begin_activity();
// Whether the host went on with what kernels had computed: it was given some of it, and sent other numbers back.
bool went_on_by_host(const Activity& call);
void take_back();  // what the host was given in managed memory and has left as it was: the device finds its own again

// ---- what is counted from call to call -------------------------------------------------------------------------------

// Around each call of the entry.
void counters_begin_call();
void counters_end_call();
extern bool host_stores_count;                                // within a call
void host_stored(uintptr_t address, size_t size);             // host code of the candidate
template <class T>
void setting_stored(const T& setting) {  // one that the runtime keeps for the candidate: as good as a variable of its own
  host_stored(uintptr_t(&setting), sizeof setting);
}
void device_variable_stored(uintptr_t address, size_t size);  // a kernel or a copy, into a device variable
// After a call that had the inputs of the one before: is there something that changes by itself, and by no step that could be
// moved on?
bool something_drifts();
extern bool device_rests;  // the host's code runs alone: launches are counted, nothing is computed or copied
// Launches are counted, and of all kernels, or of every second by their first launches, nothing is computed; what is copied is
// copied.
enum class Rest { none, all, every_first, every_second };
extern Rest kernels_rest;
// Whether the candidate keeps one of these addresses beyond the call.
bool keeps_one_of(const std::vector<void*>& addresses);
// Moves what advances by the same step in every call on by `calls` steps; false where nothing does.
bool advance_counters(int64_t calls);

}  // namespace kw
