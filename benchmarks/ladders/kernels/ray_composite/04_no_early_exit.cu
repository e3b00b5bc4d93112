// kernelwright: task=../../tasks/ray_composite.py entry=composite args="sigma, colour, out, sigma.shape[0], sigma.shape[1]"
// as 03 without the exit: the loads of all steps can be in flight; skips what is nought
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) composite_rays(const float* __restrict__ sigma, const float* __restrict__ colour, float* __restrict__ out, int rays, int S) {
    int r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rays) return;
    float T = 1.f, cr = 0.f, cg = 0.f, cb = 0.f;
#pragma unroll 3
    for (int s0 = 0; s0 < S; s0 += 32) {
        int s = s0 + lane;
        float d = s < S ? sigma[(size_t)r * S + s] : 0.f;
        float keep = __expf(-d);
        float p = keep;
#pragma unroll
        for (int o = 1; o < 32; o *= 2) {
            float u = __shfl_up_sync(0xffffffffu, p, o);
            if (lane >= o) p *= u;
        }
        float before = __shfl_up_sync(0xffffffffu, p, 1);
        if (lane == 0) before = 1.f;
        if (d > 0.f) {
            float w = T * before * (1.f - keep);
            const float* c = colour + ((size_t)r * S + s) * 3;
            cr += w * c[0];
            cg += w * c[1];
            cb += w * c[2];
        }
        T *= __shfl_sync(0xffffffffu, p, 31);
    }
#pragma unroll
    for (int o = 16; o; o /= 2) {
        cr += __shfl_xor_sync(0xffffffffu, cr, o);
        cg += __shfl_xor_sync(0xffffffffu, cg, o);
        cb += __shfl_xor_sync(0xffffffffu, cb, o);
    }
    if (lane < 3) out[3 * r + lane] = lane == 0 ? cr : lane == 1 ? cg : cb;
}

extern "C" void composite(const float* sigma, const float* colour, float* out, int rays, int S, cudaStream_t stream) {
    composite_rays<<<(rays + 7) / 8, 256, 0, stream>>>(sigma, colour, out, rays, S);
}
