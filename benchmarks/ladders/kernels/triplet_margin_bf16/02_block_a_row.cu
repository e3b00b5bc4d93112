// kernelwright: task=../../tasks/triplet_margin_bf16.py entry=triplet args="anchor, positive, negative, out, anchor.shape[0], anchor.shape[1]"
// block per row, shared-memory tree
#include <cuda_bf16.h>

#define THREADS 256

__global__ void triplet_k(const __nv_bfloat16* a, const __nv_bfloat16* p, const __nv_bfloat16* n, float* out, int D) {
    __shared__ float s0[THREADS];
    __shared__ float s1[THREADS];
    const size_t base = (size_t)blockIdx.x * D;
    float near = 0.f, far = 0.f;
    for (int d = threadIdx.x; d < D; d += THREADS) {
        float x = __bfloat162float(a[base + d]);
        float u = x - __bfloat162float(p[base + d]) + 1e-6f;
        float v = x - __bfloat162float(n[base + d]) + 1e-6f;
        near += u * u;
        far += v * v;
    }
    s0[threadIdx.x] = near;
    s1[threadIdx.x] = far;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) {
            s0[threadIdx.x] += s0[threadIdx.x + s];
            s1[threadIdx.x] += s1[threadIdx.x + s];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = fmaxf(sqrtf(s0[0]) - sqrtf(s1[0]) + 1.0f, 0.0f);
}

extern "C" void triplet(const __nv_bfloat16* a, const __nv_bfloat16* p, const __nv_bfloat16* n, float* out, int R, int D, cudaStream_t stream) {
    triplet_k<<<R, THREADS, 0, stream>>>(a, p, n, out, D);
}
