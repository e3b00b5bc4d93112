// kernelwright: task=../../tasks/kl_rows.py entry=kl_rows args="p, q, out, p.shape[0], p.shape[1]"
// one pass, sums scaled anew when a greater value comes
#include <cuda_runtime.h>

__device__ float warp_max(float v) {
    for (int o = 16; o; o /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
    return v;
}
__device__ float warp_sum(float v) {
    for (int o = 16; o; o /= 2) v += __shfl_xor_sync(~0u, v, o);
    return v;
}
__global__ void kl_online(const float* __restrict__ p, const float* __restrict__ q, float* __restrict__ out, int cols) {
    __shared__ float s[5][8];
    int t = threadIdx.x, w = t / 32, lane = t % 32;
    size_t row = (size_t)blockIdx.x * cols;
    float mp = -INFINITY, mq = -INFINITY, sp = 0.f, sq = 0.f, total = 0.f;
    for (int c = t; c < cols; c += 256) {
        float a = p[row + c], b = q[row + c], np = fmaxf(mp, a), nq = fmaxf(mq, b);
        float shrink = __expf(mp - np), e = __expf(a - np);
        sp = sp * shrink + e;
        total = total * shrink + e * (a - b);
        sq = sq * __expf(mq - nq) + __expf(b - nq);
        mp = np;
        mq = nq;
    }
    float gp = warp_max(mp), gq = warp_max(mq);
    if (lane == 0) s[0][w] = gp, s[1][w] = gq;
    __syncthreads();
    for (int k = 0; k < 8; ++k) {
        gp = fmaxf(gp, s[0][k]);
        gq = fmaxf(gq, s[1][k]);
    }
    float shrink = __expf(mp - gp);
    sp = warp_sum(sp * shrink);
    total = warp_sum(total * shrink);
    sq = warp_sum(sq * __expf(mq - gq));
    if (lane == 0) s[2][w] = sp, s[3][w] = sq, s[4][w] = total;
    __syncthreads();
    if (t == 0) {
        sp = sq = total = 0.f;
        for (int k = 0; k < 8; ++k) {
            sp += s[2][k];
            sq += s[3][k];
            total += s[4][k];
        }
        out[blockIdx.x] = total / sp - (gp + logf(sp)) + (gq + logf(sq));
    }
}
extern "C" void kl_rows(const float* p, const float* q, float* out, int rows, int cols, cudaStream_t stream) {
    kl_online<<<rows, 256, 0, stream>>>(p, q, out, cols);
}
