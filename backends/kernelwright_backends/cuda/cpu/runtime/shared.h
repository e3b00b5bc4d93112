// Shared memory: the places of `__shared__` declarations in a block's arena.
#pragma once

#include <cstdint>
#include <string>

#include "../include/kernelwright/abi.h"

namespace kw {

// Makes memory for one more live block; returns its number.
size_t make_arena(size_t number);

// What shared memory holds that nobody has written; 0: whatever is there. It shows what depends on it.
extern uint32_t unwritten_shared;
void fill_arena(size_t number);

struct SharedObject {
  std::string name;
  uint32_t offset = 0, size = 0;
  bool inside = false;  // the address belongs to it; else it is the nearest one
};
SharedObject shared_object_at(uint32_t offset);
// Is every byte of [offset, offset + size) part of a declaration?
bool in_shared_object(uint32_t offset, uint32_t size);

}  // namespace kw
