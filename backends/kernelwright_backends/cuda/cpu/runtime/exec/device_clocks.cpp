// The clocks that kernels read, and the multiprocessor on which they believe to run.
#include "../../include/kernelwright/abi.h"
#include "launch_memoisation.h"
#include "probes/environment.h"
#include "probes/observations.h"
#include "state/context.h"

long long kw_clock(void) {
  kw::note_dependence();
  kw::stop_observing();
  return kw::next_clock();
}
// All multiprocessors share it, and it moves in steps: who asks twice may be told the same.
long long kw_timer(void) {
  constexpr long long kStep = 1 << 15;
  auto now = kw_clock();
  return kw::context.exec.schedule_seed ? now / kStep * kStep : now;
}
unsigned kw_processor(uint64_t block) { return kw::processor_of(block); }
