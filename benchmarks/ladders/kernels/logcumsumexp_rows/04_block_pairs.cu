// kernelwright: task=../../tasks/logcumsumexp_rows.py entry=logcumsumexp args="x, out, x.shape[0], x.shape[1]"
// a block of 256 a row, twelve numbers a thread staged in shared memory, pairs scanned over lanes and warps; D up to 3072
#include <cuda_runtime.h>
#include <math.h>

__device__ __forceinline__ void lc_join(float& m, float& s, float om, float os) {
    float n = fmaxf(m, om);
    s = s * __expf(m - n) + os * __expf(om - n);
    m = n;
}
__global__ void __launch_bounds__(256) lc_block12(const float* __restrict__ x, float* __restrict__ out, int D) {
    __shared__ float row[3072], pm[8], ps[8];
    const float* from = x + (size_t)blockIdx.x * D;
    int t = threadIdx.x, lane = t % 32, w = t / 32;
#pragma unroll
    for (int j = 0; j < 12; j++) row[t + 256 * j] = t + 256 * j < D ? from[t + 256 * j] : -1e30f;
    __syncthreads();
    float v[12], m = -1e30f, s = 0.f;
#pragma unroll
    for (int j = 0; j < 12; j++) {
        v[j] = row[t * 12 + j];
        lc_join(m, s, v[j], 1.f);
    }
#pragma unroll
    for (int o = 1; o < 32; o *= 2) {
        float om = __shfl_up_sync(~0u, m, o), os = __shfl_up_sync(~0u, s, o);
        if (lane >= o) lc_join(m, s, om, os);
    }
    if (lane == 31) {
        pm[w] = m;
        ps[w] = s;
    }
    __syncthreads();
    float bm = __shfl_up_sync(~0u, m, 1), bs = __shfl_up_sync(~0u, s, 1);
    if (lane == 0) {
        bm = -1e30f;
        bs = 0.f;
    }
    for (int k = 0; k < w; k++) lc_join(bm, bs, pm[k], ps[k]);
#pragma unroll
    for (int j = 0; j < 12; j++) {
        lc_join(bm, bs, v[j], 1.f);
        row[t * 12 + j] = bm + __logf(bs);
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 12; j++)
        if (t + 256 * j < D) out[(size_t)blockIdx.x * D + t + 256 * j] = row[t + 256 * j];
}
extern "C" void logcumsumexp(const float* x, float* out, int rows, int D, cudaStream_t stream) {
    lc_block12<<<rows, 256, 0, stream>>>(x, out, D);
}
