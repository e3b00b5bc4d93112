// kernelwright: task=../../tasks/mask_softmax_half.py entry=mask_softmax args="x, mask, out, x.shape[0], x.shape[1]"
// a thread walks a row three times
#include <cuda_fp16.h>
#include <math.h>

__global__ void ms_thread(const half* x, const half* mask, half* out, int rows, int S) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    const half* a = x + (size_t)r * S;
    const half* b = mask + (r % S) * S;
    float m = -INFINITY, s = 0.f;
    for (int i = 0; i < S; i++) m = fmaxf(m, __half2float(a[i]) + __half2float(b[i]));
    for (int i = 0; i < S; i++) s += expf(__half2float(a[i]) + __half2float(b[i]) - m);
    for (int i = 0; i < S; i++) out[(size_t)r * S + i] = __float2half(expf(__half2float(a[i]) + __half2float(b[i]) - m) / s);
}
extern "C" void mask_softmax(const half* x, const half* mask, half* out, int B, int S, cudaStream_t stream) {
    ms_thread<<<(B * S + 127) / 128, 128, 0, stream>>>(x, mask, out, B * S, S);
}
