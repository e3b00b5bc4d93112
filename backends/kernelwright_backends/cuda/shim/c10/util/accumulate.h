#pragma once

#include <c10/macros/Macros.h>

#include <cstdint>

namespace c10 {

template <class Container>
std::int64_t multiply_integers(const Container& values) {
  std::int64_t product = 1;
  for (auto value : values) product *= value;
  return product;
}
template <class Iterator>
std::int64_t multiply_integers(Iterator first, Iterator last) {
  std::int64_t product = 1;
  for (; first != last; ++first) product *= *first;
  return product;
}
template <class Container>
std::int64_t sum_integers(const Container& values) {
  std::int64_t sum = 0;
  for (auto value : values) sum += value;
  return sum;
}

}  // namespace c10
