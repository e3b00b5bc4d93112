// The part of cuda_fp16.h that CUDA keeps apart.
#pragma once

#include "cuda_fp16.h"
