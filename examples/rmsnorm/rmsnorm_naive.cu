// kernelwright: task=rmsnorm.py entry=rmsnorm args="x, weight, out, x.shape[0], x.shape[1], eps"
// One thread a row.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void rmsnorm_kernel(const __nv_bfloat16* x, const __nv_bfloat16* weight, __nv_bfloat16* y, int rows, int features,
                               float eps) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    const __nv_bfloat16* in = x + (size_t)row * features;
    __nv_bfloat16* out = y + (size_t)row * features;
    float squares = 0.0f;
    for (int f = 0; f < features; ++f) {
        const float v = __bfloat162float(in[f]);
        squares += v * v;
    }
    const float scale = rsqrtf(squares / features + eps);
    for (int f = 0; f < features; ++f) {
        out[f] = __float2bfloat16(__bfloat162float(in[f]) * scale * __bfloat162float(weight[f]));
    }
}

void rmsnorm(const __nv_bfloat16* x, const __nv_bfloat16* weight, __nv_bfloat16* y, int rows, int features, float eps) {
    rmsnorm_kernel<<<(rows + 63) / 64, 64>>>(x, weight, y, rows, features, eps);
}
