// kernelwright: task=../../tasks/gemv_transposed_half.py entry=gemvt args="a, x, out, a.shape[0], a.shape[1]"
// products of pairs over four rows before they become floats, parts kept apart and added by a second launch
#include <cuda_fp16.h>

__device__ float gt_work[32 * 4096];
__global__ void __launch_bounds__(128) gt_pairs(const __half* __restrict__ a, const __half* __restrict__ x, int m, int n) {
    __shared__ float part[4][256];
    int lane = threadIdx.x % 32, w = threadIdx.x / 32, rows = m / 32, r0 = blockIdx.y * rows, c = blockIdx.x * 256 + lane * 8;
    float s[8] = {};
    for (int r = r0 + w * 4; r < r0 + rows; r += 16) {
        uint4 q[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) q[k] = *(const uint4*)&a[(size_t)(r + k) * n + c];
        uint2 xs = *(const uint2*)&x[r];
        const __half2* xp = (const __half2*)&xs;
        __half2 x0 = __low2half2(xp[0]), x1 = __high2half2(xp[0]), x2 = __low2half2(xp[1]), x3 = __high2half2(xp[1]);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            float2 f = __half22float2(__hfma2(((const __half2*)&q[1])[i], x1, __hmul2(((const __half2*)&q[0])[i], x0)));
            float2 g = __half22float2(__hfma2(((const __half2*)&q[3])[i], x3, __hmul2(((const __half2*)&q[2])[i], x2)));
            s[2 * i] += f.x + g.x;
            s[2 * i + 1] += f.y + g.y;
        }
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) part[w][lane * 8 + i] = s[i];
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += 128) gt_work[blockIdx.y * n + blockIdx.x * 256 + i] = part[0][i] + part[1][i] + part[2][i] + part[3][i];
}
__global__ void __launch_bounds__(128) gt_sum(float* __restrict__ out, int n) {
    int c = blockIdx.x * 128 + threadIdx.x;
    float s = 0.f;
#pragma unroll 8
    for (int i = 0; i < 32; ++i) s += gt_work[i * n + c];
    out[c] = s;
}
extern "C" void gemvt(const __half* a, const __half* x, float* out, int m, int n, cudaStream_t stream) {
    gt_pairs<<<dim3(n / 256, 32), 128, 0, stream>>>(a, x, m, n);
    gt_sum<<<n / 128, 128, 0, stream>>>(out, n);
}
