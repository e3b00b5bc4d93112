#pragma once

#include <ATen/cuda/CUDAContext.h>
#include <ATen/core/Tensor.h>
