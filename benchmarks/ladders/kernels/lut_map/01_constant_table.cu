// kernelwright: task=../../tasks/lut_map.py entry=lut_map args="x, table, out, x.shape[0]"
// the table in constant memory: lanes that differ take turns
#include <cuda_runtime.h>

__constant__ float lu_table[1024];
__global__ void lu_constant(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float t = x[i] * 1023.f;
    int k = min((int)t, 1022);
    float a = lu_table[k], b = lu_table[k + 1];
    out[i] = a + (b - a) * (t - k);
}
extern "C" void lut_map(const float* x, const float* table, float* out, int n, cudaStream_t stream) {
    cudaMemcpyToSymbolAsync(lu_table, table, 4096, 0, cudaMemcpyDeviceToDevice, stream);
    lu_constant<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
}
