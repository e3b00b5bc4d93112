#pragma once

#include <c10/macros/Macros.h>

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace c10::guts {

template <class T>
using decay_t = std::decay_t<T>;
template <bool Condition, class T = void>
using enable_if_t = std::enable_if_t<Condition, T>;
using std::apply;
using std::conjunction;
using std::disjunction;
using std::make_unique;
using std::negation;
using std::to_string;
using std::void_t;

}  // namespace c10::guts
