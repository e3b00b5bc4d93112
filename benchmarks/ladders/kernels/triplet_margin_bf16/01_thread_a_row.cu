// kernelwright: task=../../tasks/triplet_margin_bf16.py entry=triplet args="anchor, positive, negative, out, anchor.shape[0], anchor.shape[1]"
// naive: one thread walks a whole row
#include <cuda_bf16.h>

__global__ void triplet_k(const __nv_bfloat16* a, const __nv_bfloat16* p, const __nv_bfloat16* n, float* out, int R, int D) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= R) return;
    float near = 0.f, far = 0.f;
    for (int d = 0; d < D; d++) {
        float x = __bfloat162float(a[(size_t)r * D + d]);
        float u = x - __bfloat162float(p[(size_t)r * D + d]) + 1e-6f;
        float v = x - __bfloat162float(n[(size_t)r * D + d]) + 1e-6f;
        near += u * u;
        far += v * v;
    }
    out[r] = fmaxf(sqrtf(near) - sqrtf(far) + 1.0f, 0.0f);
}

extern "C" void triplet(const __nv_bfloat16* a, const __nv_bfloat16* p, const __nv_bfloat16* n, float* out, int R, int D, cudaStream_t stream) {
    triplet_k<<<(R + 127) / 128, 128, 0, stream>>>(a, p, n, out, R, D);
}
