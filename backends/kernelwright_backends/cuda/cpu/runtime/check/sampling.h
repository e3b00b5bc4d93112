// How far accesses are held against each other. To remember who used which bytes costs several times as much as to run
// the kernel; a program that launches for a GPU would not end. So the looking has a budget of accesses: after it, every
// kernel is still looked at for a while, and after that only for bounds, alignment and initialisation of global memory.
// What was left out is reported.
#pragma once

#include <cstdint>

#include "exec/block.h"
#include "exec/hooks.h"
#include "state/context.h"

namespace kw {

// `accesses` in all, and so many of every kernel; 0: without an end.
void set_looking_budget(uint64_t accesses, uint64_t of_every_kernel);
void begin_looking(const Launch& launch, const void* function);
void stop_looking();  // the budget is used up
void end_looking(const Launch& launch);
void report_sampling();

// Before an access is held against others: false if it is not.
inline bool is_looked_at() {
  if (context.check.only_bounds) return false;
  if (++context.check.accesses_looked_at >= context.check.look_until) [[unlikely]]
    stop_looking();
  return true;
}

}  // namespace kw
