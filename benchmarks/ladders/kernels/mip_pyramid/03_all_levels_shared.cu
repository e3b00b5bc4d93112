// kernelwright: task=../../tasks/mip_pyramid.py entry=pyramid args="x, out, x.shape[0], x.shape[1]"
// one launch: a block makes 16 x 16 points of the first level and those above it in shared memory; sides divisible by 32
#include <cuda_runtime.h>

__global__ void py_all(const float2* __restrict__ from, float* __restrict__ out, int H, int W) {
    __shared__ float level[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, h = H / 2, w = W / 2;
    int x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
    float2 a = from[(size_t)(2 * y) * w + x], b = from[(size_t)(2 * y + 1) * w + x];
    float v = (a.x + a.y + b.x + b.y) * 0.25f;
    out[(size_t)y * w + x] = v;
    level[ty][tx] = v;
    for (int s = 8; s > 1; s >>= 1) {
        out += (size_t)h * w;
        h /= 2;
        w /= 2;
        __syncthreads();
        bool in = tx < s && ty < s;
        if (in) v = (level[2 * ty][2 * tx] + level[2 * ty][2 * tx + 1] + level[2 * ty + 1][2 * tx] + level[2 * ty + 1][2 * tx + 1]) * 0.25f;
        __syncthreads();
        if (in) {
            level[ty][tx] = v;
            out[(size_t)(blockIdx.y * s + ty) * w + blockIdx.x * s + tx] = v;
        }
    }
}
extern "C" void pyramid(const float* x, float* out, int H, int W, cudaStream_t stream) {
    py_all<<<dim3(W / 32, H / 32), dim3(16, 16), 0, stream>>>((const float2*)x, out, H, W);
}
