// kernelwright: task=../../tasks/causal_conv_silu.py entry=causal_conv args="x, w, b, out, x.shape[0], x.shape[1], x.shape[2]"
// a thread an output, its place by divisions, four loads with a test each
#include <cuda_fp16.h>

__global__ void cc_one(const __half* x, const float* w, const float* b, __half* out, int total, int c, int l) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    int at = i % l, ch = i / l % c;
    float s = b[ch];
    for (int j = 0; j < 4; ++j)
        if (at + j - 3 >= 0) s += w[ch * 4 + j] * __half2float(x[i + j - 3]);
    out[i] = __float2half(s / (1.0f + expf(-s)));
}
extern "C" void causal_conv(const __half* x, const float* w, const float* b, __half* out, int n, int c, int l, cudaStream_t stream) {
    int total = n * c * l;
    cc_one<<<(total + 255) / 256, 256, 0, stream>>>(x, w, b, out, total, c, l);
}
