// The task is a copy: a device copy does it.
// kernelwright: task=../tasks/clone.py entry=cl args="x, out, x.numel()"
#include <cuda_runtime.h>

void cl(const float* x, float* y, int n, cudaStream_t s) { cudaMemcpyAsync(y, x, 4ul * n, cudaMemcpyDeviceToDevice, s); }
