// kernelwright: task=../../tasks/lut_map.py entry=lut_map args="x, table, out, x.shape[0]"
// every block brings the table to shared memory for 256 values
#include <cuda_runtime.h>

__device__ float between(float x, const float* table) {
    float t = x * 1023.f;
    int i = min((int)t, 1022);
    float a = table[i], b = table[i + 1];
    return a + (b - a) * (t - i);
}
__global__ void lu_block(const float* x, const float* table, float* out, int n) {
    __shared__ float s[1024];
    for (int j = threadIdx.x; j < 1024; j += 256) s[j] = table[j];
    __syncthreads();
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) out[i] = between(x[i], s);
}
extern "C" void lut_map(const float* x, const float* table, float* out, int n, cudaStream_t stream) {
    lu_block<<<(n + 255) / 256, 256, 0, stream>>>(x, table, out, n);
}
