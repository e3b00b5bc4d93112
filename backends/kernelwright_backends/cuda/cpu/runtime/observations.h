// What a program takes from the device, kept in a file so that a run in another order can be held against it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace kw {

enum class Comparison {
  none,        // what is observed is written to the file at the end
  reordered,   // what another run wrote there; sums may have been rounded in another order, lists filled in another
  exact,       // bit for bit
};
void start_observing(const std::string& path, Comparison comparison);
// Was everything compared, from the first observation of the other run to its last, and the same?
bool observed_the_same();
void observe_input(const void* from, size_t size);
void observe_output(uintptr_t from, size_t size);
// The kernel looked at a clock: its results may differ for that alone.
void stop_observing();
void finish_observing();

}  // namespace kw
