// Host readback perturbation: changes results on their way to the host, to learn which of them the program compares.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kw {

struct Given {
  uint64_t beyond = 0;       // bytes of long copies behind their first and before their last elements, which no kernel went on with
  uint64_t inside = 0;       // of those, bytes of very long copies that are far from either end
  uint64_t short_copies = 0; // copies that have no such
  uint64_t no_numbers = 0;   // floats that are none
  uint64_t numbers = 0;      // ordinary ones, in long copies
};
extern Given results_given;

extern bool results_change_beyond;  // those bytes are replaced on their way
extern bool results_change_inside;  // of those, the ones inside very long copies alone
extern bool results_change_much;    // of long copies each number is off by half of the largest at least, all else is replaced
extern bool results_are_no_numbers; // of kernels that compute nothing: what they would have stored is no number, else a wrong one

// `copy` now holds the device memory at `from`.
void give_results(uintptr_t from, void* copy, size_t size);

}  // namespace kw
