// Copies and fills between host and device, checked and noted as whoever asked for them is to be reported.
#pragma once

#include <cstddef>

namespace kw {

// As cudaMemcpy and cudaMemset do; `kind` is a cudaMemcpyKind. They return a cudaError_t.
int copy_memory(void* to, const void* from, size_t size, int kind, const void* site);
int fill_memory(void* pointer, int value, size_t size, const void* site);

}  // namespace kw
