// CUDA's runtime, as nvcc includes it before every file.
#pragma once

// By these names other headers tell that this one was read.
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__

#include <ctype.h>

#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "kernelwright/device.h"
#include "kernelwright/atomics.h"
#if __has_include("kernelwright/math.h")
#include "kernelwright/math.h"
#endif
#include "cuda_runtime_api.h"
#include "library_types.h"
