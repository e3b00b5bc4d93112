// kernelwright: task=../../tasks/fft_rows.py entry=fft_rows args="x, out, x.shape[0]"
// a block of 512 a row in shared memory, ten stages
#include <cuda_runtime.h>

__global__ void ff_shared(const float2* x, float2* out) {
    __shared__ float2 s[1024];
    int t = threadIdx.x;
    size_t row = (size_t)blockIdx.x * 1024;
    for (int i = t; i < 1024; i += 512) s[__brev(i) >> 22] = x[row + i];
    __syncthreads();
    for (int half = 1; half < 1024; half *= 2) {
        int k = t % half, at = t / half * 2 * half + k;
        float sn, cs;
        sincosf(-3.14159265358979f * k / half, &sn, &cs);
        float2 a = s[at], b = s[at + half];
        float2 w = make_float2(b.x * cs - b.y * sn, b.x * sn + b.y * cs);
        s[at] = make_float2(a.x + w.x, a.y + w.y);
        s[at + half] = make_float2(a.x - w.x, a.y - w.y);
        __syncthreads();
    }
    for (int i = t; i < 1024; i += 512) out[row + i] = s[i];
}
extern "C" void fft_rows(const float* x, float* out, int rows, cudaStream_t stream) {
    ff_shared<<<rows, 512, 0, stream>>>((const float2*)x, (float2*)out);
}
