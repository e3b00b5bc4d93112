// kernelwright: task=../../tasks/ray_composite.py entry=composite args="sigma, colour, out, sigma.shape[0], sigma.shape[1]"
// samples without density do not read their colour
#include <cuda_runtime.h>

__global__ void composite_rays(const float* __restrict__ sigma, const float* __restrict__ colour, float* __restrict__ out, int rays, int S) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rays) return;
    float T = 1.f;
    float3 acc = make_float3(0.f, 0.f, 0.f);
    for (int s = 0; s < S; s++) {
        float d = sigma[(size_t)r * S + s];
        if (d <= 0.f) continue;
        float keep = __expf(-d), w = T * (1.f - keep);
        const float* c = colour + ((size_t)r * S + s) * 3;
        acc.x += w * c[0];
        acc.y += w * c[1];
        acc.z += w * c[2];
        T *= keep;
        if (T < 1e-7f) break;
    }
    out[3 * r] = acc.x;
    out[3 * r + 1] = acc.y;
    out[3 * r + 2] = acc.z;
}

extern "C" void composite(const float* sigma, const float* colour, float* out, int rays, int S, cudaStream_t stream) {
    composite_rays<<<(rays + 63) / 64, 64, 0, stream>>>(sigma, colour, out, rays, S);
}
