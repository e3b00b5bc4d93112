// Atomic operations of the device language. One OS thread executes all CUDA threads, so that a plain operation is
// atomic; what matters is that the runtime hears of the access.
#pragma once

#include <type_traits>

#include "../vector_types.h"
#include "abi.h"

namespace kw {

// Reads the old value, stores `change(old)`, returns the old value. `site` is the user's return address.
template <class T, class Change>
[[gnu::no_sanitize("thread", "bounds")]] inline T atomic(T* address, const void* site, Change change, size_t flags = 0) {
  kw_atomic_access(address, sizeof(T) | flags | (std::is_integral_v<T> ? 0 : KW_ATOMIC_REAL), site);
  T old = *address;
  *address = change(old);
  return old;
}

}  // namespace kw

#define KW_ATOMIC(NAME, T, EXPRESSION)                                                                            \
  [[gnu::noinline, gnu::no_sanitize("thread", "bounds")]] inline T NAME(T* address, T value) {                    \
    return kw::atomic(address, __builtin_return_address(0), [value](T old) -> T { return EXPRESSION; });          \
  }
#define KW_ATOMIC_SCOPES(NAME, T, EXPRESSION)  \
  KW_ATOMIC(NAME, T, EXPRESSION)               \
  KW_ATOMIC(NAME##_block, T, EXPRESSION)       \
  KW_ATOMIC(NAME##_system, T, EXPRESSION)

// Signed sums wrap on the device.
KW_ATOMIC_SCOPES(atomicAdd, int, (int)((unsigned)old + (unsigned)value))
KW_ATOMIC_SCOPES(atomicAdd, unsigned, old + value)
KW_ATOMIC_SCOPES(atomicAdd, unsigned long long, old + value)
KW_ATOMIC_SCOPES(atomicAdd, float, old + value)
KW_ATOMIC_SCOPES(atomicAdd, double, old + value)
KW_ATOMIC_SCOPES(atomicAdd, float2, (float2{old.x + value.x, old.y + value.y}))
KW_ATOMIC_SCOPES(atomicAdd, float4,
                 (float4{old.x + value.x, old.y + value.y, old.z + value.z, old.w + value.w}))
KW_ATOMIC_SCOPES(atomicSub, int, (int)((unsigned)old - (unsigned)value))
KW_ATOMIC_SCOPES(atomicSub, unsigned, old - value)
KW_ATOMIC_SCOPES(atomicExch, int, (void(old), value))
KW_ATOMIC_SCOPES(atomicExch, unsigned, (void(old), value))
KW_ATOMIC_SCOPES(atomicExch, unsigned long long, (void(old), value))
KW_ATOMIC_SCOPES(atomicExch, float, (void(old), value))
#define KW_ATOMIC_ORDER(T)                                   \
  KW_ATOMIC_SCOPES(atomicMin, T, value < old ? value : old)  \
  KW_ATOMIC_SCOPES(atomicMax, T, value > old ? value : old)
KW_ATOMIC_ORDER(int)
KW_ATOMIC_ORDER(unsigned)
KW_ATOMIC_ORDER(long long)
KW_ATOMIC_ORDER(unsigned long long)
#undef KW_ATOMIC_ORDER
#define KW_ATOMIC_LOGIC(T)                      \
  KW_ATOMIC_SCOPES(atomicAnd, T, old & value)   \
  KW_ATOMIC_SCOPES(atomicOr, T, old | value)    \
  KW_ATOMIC_SCOPES(atomicXor, T, old ^ value)
KW_ATOMIC_LOGIC(int)
KW_ATOMIC_LOGIC(unsigned)
KW_ATOMIC_LOGIC(unsigned long long)
#undef KW_ATOMIC_LOGIC
KW_ATOMIC_SCOPES(atomicInc, unsigned, old >= value ? 0u : old + 1)
KW_ATOMIC_SCOPES(atomicDec, unsigned, old == 0 || old > value ? value : old - 1)
#undef KW_ATOMIC_SCOPES
#undef KW_ATOMIC

#define KW_ATOMIC_CAS(NAME, T)                                                                                    \
  [[gnu::noinline, gnu::no_sanitize("thread", "bounds")]] inline T NAME(T* address, T expected, T value) {        \
    return kw::atomic(address, __builtin_return_address(0),                                                       \
                      [=](T old) -> T { return old == expected ? value : old; });                                 \
  }
#define KW_ATOMIC_CAS_SCOPES(T)        \
  KW_ATOMIC_CAS(atomicCAS, T)          \
  KW_ATOMIC_CAS(atomicCAS_block, T)    \
  KW_ATOMIC_CAS(atomicCAS_system, T)
KW_ATOMIC_CAS_SCOPES(int)
KW_ATOMIC_CAS_SCOPES(unsigned)
KW_ATOMIC_CAS_SCOPES(unsigned long long)
KW_ATOMIC_CAS_SCOPES(unsigned short)
#undef KW_ATOMIC_CAS_SCOPES
#undef KW_ATOMIC_CAS
