// kernelwright: task=../../tasks/masked_cumsum.py entry=masked_cumsum args="x, mask, out, x.shape[0], x.shape[1]"
// serial over the row
#include <cuda_runtime.h>

__global__ void mc(const float* x, const unsigned char* mask, float* out, int R, int C) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= R) return;
    float run = 0.f;
    for (int c = 0; c < C; c++) {
        size_t i = (size_t)r * C + c;
        if (mask[i]) run += x[i];
        out[i] = run;
    }
}
extern "C" void masked_cumsum(const float* x, const unsigned char* mask, float* out, int R, int C, cudaStream_t stream) {
    mc<<<(R + 63) / 64, 64, 0, stream>>>(x, mask, out, R, C);
}
