// kernelwright: task=../../tasks/tridiagonal.py entry=tridiagonal args="a, b, c, d, out, b.shape[0]"
// a warp a system, four equations a lane with a main diagonal of ones, neighbours by shuffles
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) td_warp(const float* __restrict__ a, const float* __restrict__ b, const float* __restrict__ c, const float* __restrict__ d, float* __restrict__ x) {
    int lane = threadIdx.x % 32;
    size_t base = (size_t)(blockIdx.x * 8 + threadIdx.x / 32) * 128 + lane;
    float l[4], u[4], v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        float r = 1.f / b[base + k * 32];
        l[k] = k * 32 + lane ? a[base + k * 32] * r : 0.f;
        u[k] = k * 32 + lane < 127 ? c[base + k * 32] * r : 0.f;
        v[k] = d[base + k * 32] * r;
    }
#pragma unroll
    for (int step = 1; step < 128; step *= 2) {
        float ll[4], lu[4], lv[4], rl[4], ru[4], rv[4];
        if (step < 32) {
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                ll[k] = __shfl_sync(~0u, l[k], (lane - step) & 31);
                lu[k] = __shfl_sync(~0u, u[k], (lane - step) & 31);
                lv[k] = __shfl_sync(~0u, v[k], (lane - step) & 31);
                rl[k] = __shfl_sync(~0u, l[k], (lane + step) & 31);
                ru[k] = __shfl_sync(~0u, u[k], (lane + step) & 31);
                rv[k] = __shfl_sync(~0u, v[k], (lane + step) & 31);
            }
            bool first = lane < step, last = lane + step > 31;
#pragma unroll
            for (int k = 3; k >= 0; --k) {
                ll[k] = first ? (k ? ll[k ? k - 1 : 0] : 0.f) : ll[k];
                lu[k] = first ? (k ? lu[k ? k - 1 : 0] : 0.f) : lu[k];
                lv[k] = first ? (k ? lv[k ? k - 1 : 0] : 0.f) : lv[k];
            }
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                rl[k] = last ? (k < 3 ? rl[k < 3 ? k + 1 : 3] : 0.f) : rl[k];
                ru[k] = last ? (k < 3 ? ru[k < 3 ? k + 1 : 3] : 0.f) : ru[k];
                rv[k] = last ? (k < 3 ? rv[k < 3 ? k + 1 : 3] : 0.f) : rv[k];
            }
        } else {
            const int by = step / 32;
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                bool has = k >= by, more = k + by < 4;
                int p = has ? k - by : 0, q = more ? k + by : 3;
                ll[k] = has ? l[p] : 0.f;
                lu[k] = has ? u[p] : 0.f;
                lv[k] = has ? v[p] : 0.f;
                rl[k] = more ? l[q] : 0.f;
                ru[k] = more ? u[q] : 0.f;
                rv[k] = more ? v[q] : 0.f;
            }
        }
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            float r = 1.f / (1.f - l[k] * lu[k] - u[k] * rl[k]);
            v[k] = (v[k] - l[k] * lv[k] - u[k] * rv[k]) * r;
            l[k] = -l[k] * ll[k] * r;
            u[k] = -u[k] * ru[k] * r;
        }
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) x[base + k * 32] = v[k];
}
extern "C" void tridiagonal(const float* a, const float* b, const float* c, const float* d, float* x, int systems, cudaStream_t stream) {
    td_warp<<<systems / 8, 256, 0, stream>>>(a, b, c, d, x);
}
