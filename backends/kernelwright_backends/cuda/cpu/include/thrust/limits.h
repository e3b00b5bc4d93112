// The limits of types, as Thrust names them.
#pragma once

#include <limits>

namespace thrust {
using std::numeric_limits;
}
