// kernelwright: task=gelu.py entry=gelu
#include <cuda_fp16.h>
#include <cuda_runtime.h>

void gelu(const __half* x, __half* y, int n) {}
