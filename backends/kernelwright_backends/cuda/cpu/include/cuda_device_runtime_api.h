// The part of the runtime interface that kernels may call.
#pragma once

#include "cuda_runtime_api.h"
