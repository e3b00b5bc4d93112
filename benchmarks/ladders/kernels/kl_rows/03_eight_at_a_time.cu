// kernelwright: task=../../tasks/kl_rows.py entry=kl_rows args="p, q, out, p.shape[0], p.shape[1]"
// one pass, eight pairs in flight, sums scaled once for the eight
#include <cuda_runtime.h>

__device__ float warp_max(float v) {
    for (int o = 16; o; o /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
    return v;
}
__device__ float warp_sum(float v) {
    for (int o = 16; o; o /= 2) v += __shfl_xor_sync(~0u, v, o);
    return v;
}
__global__ void __launch_bounds__(256) kl_eight(const float* __restrict__ p, const float* __restrict__ q, float* __restrict__ out, int cols) {
    __shared__ float s[5][8];
    int t = threadIdx.x, w = t / 32, lane = t % 32;
    p += (size_t)blockIdx.x * cols;
    q += (size_t)blockIdx.x * cols;
    float mp = -INFINITY, mq = -INFINITY, sp = 0.f, sq = 0.f, total = 0.f;
    for (int c = t; c < cols; c += 2048) {
        float a[8], b[8];
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            bool in = c + 256 * k < cols;
            a[k] = in ? p[c + 256 * k] : -1e30f;
            b[k] = in ? q[c + 256 * k] : -1e30f;
        }
        float np = mp, nq = mq;
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            np = fmaxf(np, a[k]);
            nq = fmaxf(nq, b[k]);
        }
        float shrink = __expf(mp - np);
        sp *= shrink;
        total *= shrink;
        sq *= __expf(mq - nq);
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            float e = __expf(a[k] - np);
            sp += e;
            total += e * (a[k] - b[k]);
            sq += __expf(b[k] - nq);
        }
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
    kl_eight<<<rows, 256, 0, stream>>>(p, q, out, cols);
}
