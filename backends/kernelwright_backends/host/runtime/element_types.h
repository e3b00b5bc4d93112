// Element types of tensors: sizes, PyTorch's numbers, conversion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kw {

struct ElementType {
  const char* name;
  int code;  // c10::ScalarType
  unsigned size;
  uint64_t nan;  // a quiet NaN; 0: an integer type
};

// Null where there is no such type.
const ElementType* element_type(const std::string& name);
const ElementType* element_type(int code);

// As static_cast does, through the type that holds both; 16-bit floats round to nearest even.
void convert_element(const ElementType& to_type, void* to, const ElementType& from_type, const void* from);

// Calls visit(number of the element in row-major order, its offset in bytes).
template <class Visit>
void each_element(const std::vector<int64_t>& shape, const int64_t* strides, unsigned size, Visit visit) {
  size_t count = 1;
  for (auto extent : shape) count *= size_t(extent);
  std::vector<int64_t> index(shape.size(), 0);
  int64_t at = 0;
  for (size_t i = 0; i < count; ++i) {
    visit(i, at * int64_t(size));
    for (size_t d = shape.size(); d-- > 0;) {
      at += strides[d];
      if (++index[d] < shape[d]) break;
      at -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
}

}  // namespace kw
