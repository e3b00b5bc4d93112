#pragma once

#include <ATen/cuda/CUDAGeneratorImpl.h>
