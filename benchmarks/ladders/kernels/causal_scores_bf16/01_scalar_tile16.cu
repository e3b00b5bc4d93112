// kernelwright: task=../../tasks/causal_scores_bf16.py entry=causal_scores args="q, k, out, q.shape[0], q.shape[1]"
// a thread a score, tiles of 16 rows in shared memory as floats, no tensor cores
#include <cuda_bf16.h>

__global__ void cs_scalar(const __nv_bfloat16* q, const __nv_bfloat16* k, __nv_bfloat16* out, int s) {
    __shared__ float qs[16][64], ks[16][65];
    int x = threadIdx.x, y = threadIdx.y, r = blockIdx.y * 16 + y, c = blockIdx.x * 16 + x;
    size_t head = (size_t)blockIdx.z * s;
    for (int i = x; i < 64; i += 16) {
        qs[y][i] = __bfloat162float(q[(head + r) * 64 + i]);
        ks[y][i] = __bfloat162float(k[(head + blockIdx.x * 16 + y) * 64 + i]);
    }
    __syncthreads();
    float a = 0.f;
    for (int i = 0; i < 64; ++i) a += qs[y][i] * ks[x][i];
    out[(head + r) * s + c] = __float2bfloat16(c <= r ? a * 0.125f : 0.f);
}
extern "C" void causal_scores(const __nv_bfloat16* q, const __nv_bfloat16* k, __nv_bfloat16* out, int h, int s, cudaStream_t stream) {
    cs_scalar<<<dim3(s / 16, s / 16, h), dim3(16, 16), 0, stream>>>(q, k, out, s);
}
