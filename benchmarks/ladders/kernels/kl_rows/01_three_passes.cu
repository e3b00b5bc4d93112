// kernelwright: task=../../tasks/kl_rows.py entry=kl_rows args="p, q, out, p.shape[0], p.shape[1]"
// a block a row: greatest, sums, divergence, each with a pass of its own
#include <cuda_runtime.h>

__device__ float block_sum(float v, float* s) {
    int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int o = 128; o; o /= 2) {
        if (t < o) s[t] += s[t + o];
        __syncthreads();
    }
    v = s[0];
    __syncthreads();
    return v;
}
__device__ float block_max(float v, float* s) {
    int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int o = 128; o; o /= 2) {
        if (t < o) s[t] = fmaxf(s[t], s[t + o]);
        __syncthreads();
    }
    v = s[0];
    __syncthreads();
    return v;
}
__global__ void kl_passes(const float* p, const float* q, float* out, int cols) {
    __shared__ float s[256];
    size_t row = (size_t)blockIdx.x * cols;
    float mp = -INFINITY, mq = -INFINITY, sp = 0.f, sq = 0.f, total = 0.f;
    for (int c = threadIdx.x; c < cols; c += 256) {
        mp = fmaxf(mp, p[row + c]);
        mq = fmaxf(mq, q[row + c]);
    }
    mp = block_max(mp, s);
    mq = block_max(mq, s);
    for (int c = threadIdx.x; c < cols; c += 256) {
        sp += expf(p[row + c] - mp);
        sq += expf(q[row + c] - mq);
    }
    sp = logf(block_sum(sp, s)) + mp;
    sq = logf(block_sum(sq, s)) + mq;
    for (int c = threadIdx.x; c < cols; c += 256) {
        float a = p[row + c] - sp, b = q[row + c] - sq;
        total += expf(a) * (a - b);
    }
    total = block_sum(total, s);
    if (threadIdx.x == 0) out[blockIdx.x] = total;
}
extern "C" void kl_rows(const float* p, const float* q, float* out, int rows, int cols, cudaStream_t stream) {
    kl_passes<<<rows, 256, 0, stream>>>(p, q, out, cols);
}
