// Stackful fibers: a CUDA thread that has to wait keeps its stack, everything else of it is a few words.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kw {

struct Fiber {
  void* stack_pointer = nullptr;  // while switched out
  uintptr_t low = 0, high = 0;    // its stack, guard page excluded
};

using FiberMain = void (*)();

// A fiber that starts in `main` when first switched to. `main` never returns.
Fiber* take_fiber(FiberMain main);
// Gives the stack back; the fiber must not be running, or must never run again after the next switch.
void return_fiber(Fiber* fiber);

extern "C" void kw_switch_stack(void** save, void* load);

// Saves the caller's registers in `from` and goes on where `to` was saved.
inline void switch_fiber(Fiber& from, Fiber& to) { kw_switch_stack(&from.stack_pointer, to.stack_pointer); }

// Does `address` lie in a guard page (or anywhere in the region of stacks that is not a stack)?
bool in_stack_guard(uintptr_t address);

}  // namespace kw
