// 8-bit floating point, by its second name.
#pragma once

#include "cuda_fp8.h"
