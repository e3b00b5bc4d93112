// kernelwright: task=../../tasks/tridiagonal.py entry=tridiagonal args="a, b, c, d, out, b.shape[0]"
// parallel cyclic reduction: a block a system, a thread an equation, seven rounds in shared memory
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) td_cyclic(const float* __restrict__ a, const float* __restrict__ b, const float* __restrict__ c, const float* __restrict__ d, float* __restrict__ x) {
    __shared__ float4 s[2][128];
    int i = threadIdx.x;
    size_t at = (size_t)blockIdx.x * 128 + i;
    float4 e = make_float4(i ? a[at] : 0.f, b[at], i < 127 ? c[at] : 0.f, d[at]);
    s[0][i] = e;
    __syncthreads();
    int side = 0;
#pragma unroll
    for (int step = 1; step < 128; step *= 2) {
        float4 n = e;
        if (i >= step) {
            float4 l = s[side][i - step];
            float k = e.x / l.y;
            n.y -= l.z * k;
            n.w -= l.w * k;
            n.x = -l.x * k;
        }
        if (i + step < 128) {
            float4 r = s[side][i + step];
            float k = e.z / r.y;
            n.y -= r.x * k;
            n.w -= r.w * k;
            n.z = -r.z * k;
        }
        e = n;
        side ^= 1;
        s[side][i] = e;
        __syncthreads();
    }
    x[at] = e.w / e.y;
}
extern "C" void tridiagonal(const float* a, const float* b, const float* c, const float* d, float* x, int systems, cudaStream_t stream) {
    td_cyclic<<<systems, 128, 0, stream>>>(a, b, c, d, x);
}
