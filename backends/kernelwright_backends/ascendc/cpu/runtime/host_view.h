// Memory of the device is none of the host's: while the candidate's host function runs, it cannot be reached from there.
#pragma once

#include "core.h"

namespace kw {

extern bool hides_from_host;  // in this call, from the moment on at which the host function begins
void show_to_host();          // the call has ended
bool is_hidden(const void* address);

// An interface that works on the device for the host.
struct OnDevice {
  OnDevice();
  ~OnDevice();
};

}  // namespace kw
