// CUDA's runtime, as nvcc includes it before every file.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "kernelwright/device.h"
#include "kernelwright/atomics.h"
#if __has_include("kernelwright/math.h")
#include "kernelwright/math.h"
#endif
#include "cuda_runtime_api.h"
