// The part of cuda_bf16.h that CUDA keeps apart.
#pragma once

#include "cuda_bf16.h"
