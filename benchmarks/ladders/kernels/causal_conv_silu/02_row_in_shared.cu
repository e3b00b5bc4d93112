// kernelwright: task=../../tasks/causal_conv_silu.py entry=causal_conv args="x, w, b, out, x.shape[0], x.shape[1], x.shape[2]"
// a block a channel of a sequence, the row as floats in shared memory behind three zeros
#include <cuda_fp16.h>

__global__ void __launch_bounds__(256) cc_row(const __half* __restrict__ x, const float* __restrict__ w, const float* __restrict__ b, __half* __restrict__ out, int c, int l) {
    __shared__ float row[2048 + 3];
    int ch = blockIdx.x % c, t = threadIdx.x;
    size_t base = (size_t)blockIdx.x * l;
    float w0 = w[ch * 4], w1 = w[ch * 4 + 1], w2 = w[ch * 4 + 2], w3 = w[ch * 4 + 3], bias = b[ch];
    if (t < 3) row[t] = 0.f;
    for (int i = t; i < l; i += 256) row[i + 3] = __half2float(x[base + i]);
    __syncthreads();
    for (int i = t; i < l; i += 256) {
        float s = bias + w0 * row[i] + w1 * row[i + 1] + w2 * row[i + 2] + w3 * row[i + 3];
        out[base + i] = __float2half(s / (1.f + __expf(-s)));
    }
}
extern "C" void causal_conv(const __half* x, const float* w, const float* b, __half* out, int n, int c, int l, cudaStream_t stream) {
    cc_row<<<n * c, 256, 0, stream>>>(x, w, b, out, c, l);
}
