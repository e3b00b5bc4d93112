// kernelwright: task=../../tasks/ray_composite.py entry=composite args="sigma, colour, out, sigma.shape[0], sigma.shape[1]"
// front to back, stops when the ray is opaque
#include <cuda_runtime.h>

__global__ void composite_rays(const float* sigma, const float* colour, float* out, int rays, int S) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rays) return;
    float T = 1.f, cr = 0.f, cg = 0.f, cb = 0.f;
    for (int s = 0; s < S; s++) {
        float alpha = 1.f - expf(-sigma[(size_t)r * S + s]);
        const float* c = colour + ((size_t)r * S + s) * 3;
        cr += T * alpha * c[0];
        cg += T * alpha * c[1];
        cb += T * alpha * c[2];
        T *= 1.f - alpha;
        if (T < 1e-7f) break;
    }
    out[3 * r] = cr;
    out[3 * r + 1] = cg;
    out[3 * r + 2] = cb;
}

extern "C" void composite(const float* sigma, const float* colour, float* out, int rays, int S, cudaStream_t stream) {
    composite_rays<<<(rays + 255) / 256, 256, 0, stream>>>(sigma, colour, out, rays, S);
}
