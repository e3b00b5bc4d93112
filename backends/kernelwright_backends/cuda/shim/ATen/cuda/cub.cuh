#pragma once

#include <cub/cub.cuh>
#include <ATen/cuda/CUDAContext.h>
