// cuBLAS, as far as cublas_api.h has it.
#pragma once

#include "cublas_api.h"
