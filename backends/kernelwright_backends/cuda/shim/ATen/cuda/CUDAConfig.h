// What PyTorch was built with.
#pragma once

#define AT_CUDNN_ENABLED() 0
#define AT_ROCM_ENABLED() 0
#define AT_MAGMA_ENABLED() 0
#define AT_CUSPARSELT_ENABLED() 0
