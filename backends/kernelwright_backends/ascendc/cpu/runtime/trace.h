// The recorded instructions as JSON.
#pragma once

#include "core.h"
#include "host/runtime/json.h"

namespace kw {

void keep_trace();  // of the launch that has just ended
void write_trace(JsonWriter& out);

}  // namespace kw
