// kernelwright: task=../../tasks/softmax_half.py entry=softmax_half args="x, out, x.shape[0], x.shape[1]"
// a warp a row, scalar halves, three passes
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void sh_warp(const __half* x, __half* out, int rows, int d) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    const __half* row = x + (size_t)r * d;
    float m = -1e30f, l = 0.f;
    for (int i = lane; i < d; i += 32) m = fmaxf(m, __half2float(row[i]));
    for (int o = 16; o; o /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
    for (int i = lane; i < d; i += 32) l += __expf(__half2float(row[i]) - m);
    for (int o = 16; o; o /= 2) l += __shfl_xor_sync(~0u, l, o);
    for (int i = lane; i < d; i += 32) out[(size_t)r * d + i] = __float2half(__expf(__half2float(row[i]) - m) / l);
}
extern "C" void softmax_half(const __half* x, __half* out, int rows, int d, cudaStream_t stream) {
    sh_warp<<<(rows + 7) / 8, 256, 0, stream>>>(x, out, rows, d);
}
