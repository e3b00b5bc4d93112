// Shared memory at file scope of a header, of a type defined in place, and qualifiers by a macro's name.
#pragma once

#ifdef __CUDACC__
#define DEVICE_ONLY __device__ __forceinline__
#else
#define DEVICE_ONLY inline
#endif

__shared__ struct Kept {
  int value;
} kept[32];

DEVICE_ONLY void keep(int i) { kept[i].value = i; }
