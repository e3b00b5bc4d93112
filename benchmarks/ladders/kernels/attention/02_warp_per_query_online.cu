// kernelwright: task=../../tasks/attention.py entry=attention args="q, k, v, out, q.shape[0], q.shape[1]"
// a warp a query, keys one after the other, two columns a lane
#include <cuda_runtime.h>

__global__ void at_warp(const float* q, const float* k, const float* v, float* out, int s) {
    int r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    size_t head = (size_t)(r / s) * s * 64;
    float q0 = q[(size_t)r * 64 + lane] * 0.125f, q1 = q[(size_t)r * 64 + lane + 32] * 0.125f;
    float m = -3.4e38f, l = 0.f, a0 = 0.f, a1 = 0.f;
    for (int j = 0; j < s; ++j) {
        const float *kj = k + head + j * 64, *vj = v + head + j * 64;
        float d = q0 * kj[lane] + q1 * kj[lane + 32];
        for (int o = 16; o; o >>= 1) d += __shfl_xor_sync(0xffffffffu, d, o);
        float n = fmaxf(m, d), c = __expf(m - n), e = __expf(d - n);
        m = n;
        l = l * c + e;
        a0 = a0 * c + e * vj[lane];
        a1 = a1 * c + e * vj[lane + 32];
    }
    out[(size_t)r * 64 + lane] = a0 / l;
    out[(size_t)r * 64 + lane + 32] = a1 / l;
}
extern "C" void attention(const float* q, const float* k, const float* v, float* out, int bh, int s, cudaStream_t stream) {
    at_warp<<<bh * s / 8, 256, 0, stream>>>(q, k, v, out, s);
}
