// kernelwright: task=../../tasks/standardise_columns.py entry=standardise args="x, out, x.shape[0], x.shape[1]"
// chain: clear, moments of strips of 64 rows by atomics, then every entry; moments about the first row
#include <cuda_runtime.h>

__device__ float sd_moments[2 * 4096];

__global__ void sd_strip(const float* __restrict__ x, int R, int C) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= C) return;
    float s = 0.f, q = 0.f, first = x[c];
    int end = min(R, (blockIdx.y + 1) * 64);
    for (int r = blockIdx.y * 64; r < end; r++) {
        float v = x[r * C + c] - first;
        s += v;
        q += v * v;
    }
    atomicAdd(&sd_moments[c], s);
    atomicAdd(&sd_moments[C + c], q);
}
__global__ void sd_apply(const float* __restrict__ x, float* __restrict__ out, int R, int C, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int c = i % C;
    float mean = sd_moments[c] / R, var = sd_moments[C + c] / R - mean * mean;
    out[i] = (x[i] - x[c] - mean) / sqrtf(fmaxf(var, 0.f) + 1e-6f);
}
__global__ void sd_clear(int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sd_moments[i] = 0.f;
}
extern "C" void standardise(const float* x, float* out, int R, int C, cudaStream_t stream) {
    sd_clear<<<(2 * C + 255) / 256, 256, 0, stream>>>(2 * C);
    sd_strip<<<dim3((C + 63) / 64, (R + 63) / 64), 64, 0, stream>>>(x, R, C);
    sd_apply<<<(R * C + 255) / 256, 256, 0, stream>>>(x, out, R, C, R * C);
}
