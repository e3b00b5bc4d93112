// kernelwright: task=../../tasks/col2im.py entry=col2im args="cols, out, out.shape[0] * out.shape[1]"
// a lane a place of the grid of columns makes two neighbouring pixels: every load of a warp is one row
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) ci_pairs(const float* __restrict__ cols, float2* __restrict__ out) {
    int lane = threadIdx.x % 32, y = blockIdx.x * 8 + threadIdx.x / 32, kh = (y + 1) % 2, v = (y + 1 - kh) / 2;
    const float* p = cols + (size_t)blockIdx.y * 16384;
    float left = 0.f, right = 0.f;
#pragma unroll
    for (int a = 0; a < 2; ++a) {
        int oy = v - a;
        if (oy < 0 || oy >= 32) continue;
        const float* row = p + (kh + 2 * a) * 4096 + oy * 32 + lane;
        float k0 = row[0], k1 = row[1024], k2 = row[2048], k3 = row[3072];
        float before = __shfl_up_sync(~0u, k3, 1), after = __shfl_down_sync(~0u, k0, 1);
        left += k1 + (lane ? before : 0.f);
        right += k2 + (lane < 31 ? after : 0.f);
    }
    out[(size_t)blockIdx.y * 2048 + y * 32 + lane] = make_float2(left, right);
}
extern "C" void col2im(const float* cols, float* out, int planes, cudaStream_t stream) {
    ci_pairs<<<dim3(8, planes), 256, 0, stream>>>(cols, (float2*)out);
}
