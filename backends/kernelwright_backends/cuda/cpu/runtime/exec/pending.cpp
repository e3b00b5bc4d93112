// Launches between `kernel<<<...>>>` and the end of their arguments: see include/kernelwright/launch.h.
#include <vector>

#include "../../include/kernelwright/abi.h"

namespace {

std::vector<kw_pending_launch> pending;
kw_pending_launch popped;

}  // namespace

extern "C" {

void kw_push_launch(const kw_launch_config* config, void (*kernel)(void)) { pending.push_back({*config, kernel}); }

const kw_pending_launch* kw_pop_launch(void) {
  popped = pending.back();
  pending.pop_back();
  return &popped;
}
}
