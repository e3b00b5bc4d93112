// What the support of the runtime asks the layers above: called here, defined in exec/.
#pragma once

#include "state/extent.h"

namespace kw {

// Where the device executes now; `on_device` false: the host's code runs.
struct Position {
  bool on_device = false;
  Extent thread, block;
  const char* kernel = "";
};
Position position();

}  // namespace kw
