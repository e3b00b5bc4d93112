// kernelwright: task=../../tasks/rope_interleaved_bf16.py entry=rope_pairs args="x, pos, table, out, x.shape[0], x.shape[1]"
// a thread a pair, powf and sincosf in every thread
#include <cuda_bf16.h>

__global__ void ri_sines(const __nv_bfloat16* x, const int* pos, __nv_bfloat16* out, int total, int heads) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    int pair = i % 64, token = i / (64 * heads);
    float angle = pos[token] * powf(10000.0f, -pair / 64.0f), s, c;
    sincosf(angle, &s, &c);
    float a = __bfloat162float(x[2 * i]), b = __bfloat162float(x[2 * i + 1]);
    out[2 * i] = __float2bfloat16(a * c - b * s);
    out[2 * i + 1] = __float2bfloat16(a * s + b * c);
}
extern "C" void rope_pairs(const __nv_bfloat16* x, const int* pos, const float* table, __nv_bfloat16* out, int t, int heads, cudaStream_t stream) {
    int total = t * heads * 64;
    ri_sines<<<(total + 255) / 256, 256, 0, stream>>>(x, pos, out, total, heads);
}
