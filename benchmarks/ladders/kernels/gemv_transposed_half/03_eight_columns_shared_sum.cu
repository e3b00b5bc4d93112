// kernelwright: task=../../tasks/gemv_transposed_half.py entry=gemvt args="a, x, out, a.shape[0], a.shape[1]"
// eight columns a lane, eight warps down the rows added up in shared memory, 32 parts by atomics
#include <cuda_fp16.h>

__global__ void __launch_bounds__(256) gt_eight(const __half* __restrict__ a, const __half* __restrict__ x, float* __restrict__ out, int m, int n) {
    __shared__ float part[8][256];
    int lane = threadIdx.x % 32, w = threadIdx.x / 32, rows = m / 32, r0 = blockIdx.y * rows, c = blockIdx.x * 256 + lane * 8;
    float s[8] = {};
#pragma unroll 4
    for (int r = r0 + w; r < r0 + rows; r += 8) {
        uint4 q = *(const uint4*)&a[(size_t)r * n + c];
        float v = __half2float(x[r]);
        const __half2* h = (const __half2*)&q;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            float2 f = __half22float2(h[i]);
            s[2 * i] += v * f.x;
            s[2 * i + 1] += v * f.y;
        }
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) part[w][lane * 8 + i] = s[i];
    __syncthreads();
    float sum = 0.f;
#pragma unroll
    for (int i = 0; i < 8; ++i) sum += part[i][threadIdx.x];
    atomicAdd(out + blockIdx.x * 256 + threadIdx.x, sum);
}
extern "C" void gemvt(const __half* a, const __half* x, float* out, int m, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, (size_t)n * 4, stream);
    gt_eight<<<dim3(n / 256, 32), 256, 0, stream>>>(a, x, out, m, n);
}
