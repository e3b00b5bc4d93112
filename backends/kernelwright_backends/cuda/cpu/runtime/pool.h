// What full-size inputs hold while launches are traced: a few megabytes of random values, mapped again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "element_types.h"

namespace kw {

// Maps [start, start + bytes), which begins a page, to the pool of its type in the file `path`. Floating-point values
// are about normal, or from 0 to 1 where `below` is 1; integers from 0 to below `below`. Throws std::runtime_error
// where the file does not bear it.
void map_pool(const std::string& path, const ElementType& type, int64_t below, void* start, size_t bytes);
// Where rows begin: ascending from 0 to `last`, of integers.
void fill_offsets(const ElementType& type, int64_t last, void* start, size_t bytes);

}  // namespace kw
