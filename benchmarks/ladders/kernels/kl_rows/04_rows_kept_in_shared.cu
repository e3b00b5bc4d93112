// kernelwright: task=../../tasks/kl_rows.py entry=kl_rows args="p, q, out, p.shape[0], p.shape[1]"
// both rows kept in shared memory between the passes, 512 threads
#include <cuda_runtime.h>

__device__ float all_max(float v, float* s) {
    for (int o = 16; o; o /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    for (int k = 0; k < 16; ++k) v = fmaxf(v, s[k]);
    __syncthreads();
    return v;
}
__device__ float all_sum(float v, float* s) {
    for (int o = 16; o; o /= 2) v += __shfl_xor_sync(~0u, v, o);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0.f;
    for (int k = 0; k < 16; ++k) v += s[k];
    __syncthreads();
    return v;
}
__global__ void __launch_bounds__(512) kl_kept(const float* __restrict__ p, const float* __restrict__ q, float* __restrict__ out, int cols) {
    extern __shared__ float kept[];
    __shared__ float s[16];
    float *a = kept, *b = kept + cols;
    size_t row = (size_t)blockIdx.x * cols;
    float mp = -INFINITY, mq = -INFINITY, sp = 0.f, sq = 0.f, total = 0.f;
    for (int c = threadIdx.x; c < cols; c += 512) {
        float u = p[row + c], v = q[row + c];
        a[c] = u;
        b[c] = v;
        mp = fmaxf(mp, u);
        mq = fmaxf(mq, v);
    }
    mp = all_max(mp, s);
    mq = all_max(mq, s);
    for (int c = threadIdx.x; c < cols; c += 512) {
        float u = a[c], v = b[c], e = __expf(u - mp);
        sp += e;
        total += e * (u - v);
        sq += __expf(v - mq);
    }
    sp = all_sum(sp, s);
    sq = all_sum(sq, s);
    total = all_sum(total, s);
    if (threadIdx.x == 0) out[blockIdx.x] = total / sp - (mp + logf(sp)) + (mq + logf(sq));
}
extern "C" void kl_rows(const float* p, const float* q, float* out, int rows, int cols, cudaStream_t stream) {
    int bytes = 2 * cols * (int)sizeof(float);
    cudaFuncSetAttribute(kl_kept, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    kl_kept<<<rows, 512, bytes, stream>>>(p, q, out, cols);
}
