// What Thrust tells of types.
#pragma once

#include <utility>

#include "memory.h"

namespace thrust {

// Iterators whose elements stand side by side.
template <class Iterator>
struct is_contiguous_iterator : std::is_pointer<Iterator> {};
template <class T>
struct is_contiguous_iterator<device_ptr<T>> : std::true_type {};
template <class Iterator>
inline constexpr bool is_contiguous_iterator_v = is_contiguous_iterator<Iterator>::value;

template <class T>
using remove_cvref = std::remove_cv<std::remove_reference_t<T>>;
template <class T>
using remove_cvref_t = typename remove_cvref<T>::type;
template <class... T>
using void_t = std::void_t<T...>;
using std::conjunction;
using std::conjunction_v;
using std::disjunction;
using std::disjunction_v;
using std::index_sequence;
using std::integer_sequence;
using std::make_index_sequence;
using std::negation;
using std::negation_v;

}  // namespace thrust
