// Loops of the host, one part after the other.
#pragma once

#include <c10/macros/Macros.h>

#include <cstdint>

namespace at {

inline int get_num_threads() { return 1; }
inline int get_thread_num() { return 0; }
inline bool in_parallel_region() { return false; }
template <class Function>
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t, const Function& function) {
  if (begin < end) function(begin, end);
}

}  // namespace at
