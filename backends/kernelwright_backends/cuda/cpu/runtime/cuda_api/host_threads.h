// Threads that a program's host code starts.
#pragma once

namespace kw {

// Has it started any? They go on while the caller sleeps.
bool host_has_threads();

}  // namespace kw
