// kernelwright: task=../../tasks/standardise_columns.py entry=standardise args="x, out, x.shape[0], x.shape[1]"
// a block a column: strided reads three times
#include <cuda_runtime.h>

__global__ void sd_column(const float* x, float* out, int R, int C) {
    __shared__ float part[256];
    int c = blockIdx.x, t = threadIdx.x;
    float s = 0.f;
    for (int r = t; r < R; r += 256) s += x[r * C + c];
    part[t] = s;
    __syncthreads();
    for (int k = 128; k; k >>= 1) {
        if (t < k) part[t] += part[t + k];
        __syncthreads();
    }
    float mean = part[0] / R;
    __syncthreads();
    s = 0.f;
    for (int r = t; r < R; r += 256) s += (x[r * C + c] - mean) * (x[r * C + c] - mean);
    part[t] = s;
    __syncthreads();
    for (int k = 128; k; k >>= 1) {
        if (t < k) part[t] += part[t + k];
        __syncthreads();
    }
    float inv = 1.f / sqrtf(part[0] / R + 1e-6f);
    for (int r = t; r < R; r += 256) out[r * C + c] = (x[r * C + c] - mean) * inv;
}
extern "C" void standardise(const float* x, float* out, int R, int C, cudaStream_t stream) {
    sd_column<<<C, 256, 0, stream>>>(x, out, R, C);
}
