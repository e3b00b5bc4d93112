#pragma once

#include <c10/cuda/CUDAException.h>

#define AT_CUDA_CHECK(EXPRESSION) C10_CUDA_CHECK(EXPRESSION)
