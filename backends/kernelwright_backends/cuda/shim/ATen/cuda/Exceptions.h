#pragma once

#include <c10/cuda/CUDAException.h>
#include <cuda.h>

#define AT_CUDA_CHECK(EXPRESSION) C10_CUDA_CHECK(EXPRESSION)
