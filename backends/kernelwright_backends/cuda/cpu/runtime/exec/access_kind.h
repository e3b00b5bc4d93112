// What an access to memory does.
#pragma once

#include <cstdint>

namespace kw {

enum class How : uint8_t { load, store, atomic };

}  // namespace kw
