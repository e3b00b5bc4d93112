// What a program takes from the device, kept in a file so that a run in another order can be held against it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace kw {

// Writes what is observed to `path` at the end (`compare` false), or reads what another run wrote there.
void start_observing(const std::string& path, bool compare);
void observe_input(const void* from, size_t size);
void observe_output(uintptr_t from, size_t size);
// The kernel looked at a clock: its results may differ for that alone.
void stop_observing();
void finish_observing();

}  // namespace kw
