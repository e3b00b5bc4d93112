#include "fill_pattern.h"

#include <cstring>

namespace kw {

namespace {

uint64_t state;

}  // namespace

void seed_poison(const std::string& secret) {
  for (unsigned char c : secret) state = state * 131 + c;
}

uint64_t random_bits() {
  state += 0x9e3779b97f4a7c15;
  auto x = state;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

void poison(void* start, size_t bytes, const ElementType& type, bool ordinary) {
  auto pattern = random_bits();
  if (type.nan && ordinary) {
    static const ElementType& wide = *element_type(std::string("float64"));
    double value = double(pattern >> 40) / double(1 << 20) - 8.0;
    convert_element(type, &pattern, wide, &value);
  } else if (type.nan)
    pattern = (pattern & ((type.nan & -type.nan) - 1)) | type.nan;
  for (size_t i = 0; i + type.size <= bytes; i += type.size) memcpy((char*)start + i, &pattern, type.size);
}

}  // namespace kw
