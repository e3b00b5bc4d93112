// Three numbers: the extent of a grid or a block, the index of a block or a thread.
#pragma once

#include <cstdint>

namespace kw {

struct Extent {
  unsigned x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

}  // namespace kw
