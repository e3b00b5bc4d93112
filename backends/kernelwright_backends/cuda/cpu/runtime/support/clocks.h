// Seconds of the system's clocks.
#pragma once

#include <ctime>

namespace kw {

inline double seconds_of(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}
// Of this process, not of the clock on the wall: others may use the machine as well.
inline double processor_time() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace kw
