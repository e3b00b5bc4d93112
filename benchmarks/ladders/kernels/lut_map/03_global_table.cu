// kernelwright: task=../../tasks/lut_map.py entry=lut_map args="x, table, out, x.shape[0]"
// the table in global memory, through the L1
#include <cuda_runtime.h>

__device__ float between(float x, const float* table) {
    float t = x * 1023.f;
    int i = min((int)t, 1022);
    float a = table[i], b = table[i + 1];
    return a + (b - a) * (t - i);
}
__global__ void lu_global(const float* x, const float* table, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = between(x[i], table);
}
extern "C" void lut_map(const float* x, const float* table, float* out, int n, cudaStream_t stream) {
    lu_global<<<(n + 255) / 256, 256, 0, stream>>>(x, table, out, n);
}
