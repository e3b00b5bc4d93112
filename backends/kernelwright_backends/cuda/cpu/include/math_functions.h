// Math functions, by the name of older toolkits.
#pragma once

#include "cuda_runtime.h"
