// kernelwright: task=../../tasks/mish_backward_bf16.py entry=mish_back args="g, x, out, x.shape[0]"
// a thread an element, the formula as written
#include <cuda_bf16.h>

__global__ void mi_scalar(const __nv_bfloat16* g, const __nv_bfloat16* x, __nv_bfloat16* out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    float v = __bfloat162float(x[i]), t = tanhf(v > 20.f ? v : log1pf(expf(v)));
    out[i] = __float2bfloat16(__bfloat162float(g[i]) * (t + v / (1.f + expf(-v)) * (1.f - t * t)));
}
extern "C" void mish_back(const __nv_bfloat16* g, const __nv_bfloat16* x, __nv_bfloat16* out, int n, cudaStream_t stream) {
    mi_scalar<<<(n + 255) / 256, 256, 0, stream>>>(g, x, out, n);
}
