// kernelwright: task=../../tasks/fft_rows.py entry=fft_rows args="x, out, x.shape[0]"
// bits reversed, then a launch a stage of butterflies in place
#include <cuda_runtime.h>

__global__ void ff_reverse(const float2* x, float2* out, int rows) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * 1024) out[i] = x[i / 1024 * 1024 + (__brev(i % 1024) >> 22)];
}
__global__ void ff_stage(float2* out, int rows, int half) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * 512) return;
    int row = i / 512, j = i % 512, k = j % half, at = row * 1024 + (j / half) * 2 * half + k;
    float s, c;
    sincosf(-3.14159265358979f * k / half, &s, &c);
    float2 a = out[at], b = out[at + half];
    float2 w = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
    out[at] = make_float2(a.x + w.x, a.y + w.y);
    out[at + half] = make_float2(a.x - w.x, a.y - w.y);
}
extern "C" void fft_rows(const float* x, float* out, int rows, cudaStream_t stream) {
    ff_reverse<<<rows * 4, 256, 0, stream>>>((const float2*)x, (float2*)out, rows);
    for (int half = 1; half < 1024; half *= 2) ff_stage<<<rows * 2, 256, 0, stream>>>((float2*)out, rows, half);
}
