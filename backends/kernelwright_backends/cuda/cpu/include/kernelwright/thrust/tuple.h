// Tuples and pairs that kernels may use.
#pragma once

#include <tuple>
#include <utility>

#include "memory.h"

namespace thrust {

using std::get;
using std::make_pair;
using std::make_tuple;
using std::pair;
using std::tie;
using std::tuple;
using std::tuple_element;
using std::tuple_size;
using null_type = std::tuple<>;

}  // namespace thrust
