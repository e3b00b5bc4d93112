// Memory of the host's own that cudaHostRegister gave to the device: kernels use it at its own address.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kw {

// False if some of it is registered already.
bool register_host(uintptr_t start, size_t size);
// False if no registered memory begins there.
bool unregister_host(uintptr_t start);
bool is_registered(uintptr_t address, size_t size);

// A kernel stores there: what it stores the host is given as soon as the launch has ended.
void note_registered_store(uintptr_t address, size_t size, const void* site);
void give_registered_stores();

}  // namespace kw
