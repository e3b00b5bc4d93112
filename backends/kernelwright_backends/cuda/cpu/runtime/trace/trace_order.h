// In which order the operations of a traced run may happen: what streams and events let begin before what.
#pragma once

#include <vector>

#include "trace_samples.h"

namespace kw {

const std::vector<TracedOperation>& traced_operations();
// The next one, which `stream` is told to do. Of a program only the first are kept.
void add_operation(TracedOperation operation, const void* stream);
// The stream of the next copies and fills.
const void* stream_of_bulk();

}  // namespace kw
