// kernelwright: task=../../tasks/logcumsumexp_rows.py entry=logcumsumexp args="x, out, x.shape[0], x.shape[1]"
// a block of 1024 a row: parts of 1024 scanned by ten rounds in shared memory, a carry from part to part
#include <cuda_runtime.h>
#include <math.h>

__device__ __forceinline__ float lc_add(float a, float b) {
    float m = fmaxf(a, b), d = fminf(a, b) - m;
    return m == -INFINITY ? m : m + log1pf(expf(d));
}
__global__ void lc_block(const float* x, float* out, int D) {
    __shared__ float part[2][1024];
    int t = threadIdx.x;
    float carry = -INFINITY;
    for (int i0 = 0; i0 < D; i0 += 1024) {
        int from = 0;
        part[0][t] = i0 + t < D ? x[(size_t)blockIdx.x * D + i0 + t] : -INFINITY;
        __syncthreads();
        for (int s = 1; s < 1024; s *= 2) {
            float v = part[from][t];
            if (t >= s) v = lc_add(v, part[from][t - s]);
            part[from ^ 1][t] = v;
            from ^= 1;
            __syncthreads();
        }
        if (i0 + t < D) out[(size_t)blockIdx.x * D + i0 + t] = lc_add(carry, part[from][t]);
        carry = lc_add(carry, part[from][1023]);
        __syncthreads();
    }
}
extern "C" void logcumsumexp(const float* x, float* out, int rows, int D, cudaStream_t stream) {
    lc_block<<<rows, 1024, 0, stream>>>(x, out, D);
}
