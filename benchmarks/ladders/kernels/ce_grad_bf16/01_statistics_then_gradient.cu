// kernelwright: task=../../tasks/ce_grad_bf16.py entry=ce_grad args="x, target, out, x.shape[0], x.shape[1]"
// a warp a row for maximum and sum, a second launch for the gradient of every element
#include <cuda_bf16.h>

__device__ float cg_top[1024], cg_sum[1024];

__global__ void cg_stats(const __nv_bfloat16* x, int rows, int v) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    float top = -INFINITY, sum = 0.0f;
    for (int i = lane; i < v; i += 32) top = fmaxf(top, __bfloat162float(x[(size_t)r * v + i]));
    for (int o = 16; o; o /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, o));
    for (int i = lane; i < v; i += 32) sum += expf(__bfloat162float(x[(size_t)r * v + i]) - top);
    for (int o = 16; o; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
    if (lane == 0) {
        cg_top[r] = top;
        cg_sum[r] = sum;
    }
}
__global__ void cg_apply(const __nv_bfloat16* x, const int* target, __nv_bfloat16* out, int total, int v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    int r = i / v, c = i % v;
    out[i] = __float2bfloat16(expf(__bfloat162float(x[i]) - cg_top[r]) / cg_sum[r] - (c == target[r] ? 1.0f : 0.0f));
}
extern "C" void ce_grad(const __nv_bfloat16* x, const int* target, __nv_bfloat16* out, int rows, int v, cudaStream_t stream) {
    cg_stats<<<(rows + 3) / 4, 128, 0, stream>>>(x, rows, v);
    cg_apply<<<(rows * v + 255) / 256, 256, 0, stream>>>(x, target, out, rows * v, v);
}
