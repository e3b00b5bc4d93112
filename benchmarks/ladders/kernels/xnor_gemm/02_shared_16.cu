// kernelwright: task=../../tasks/xnor_gemm.py entry=xnor args="a, b, out, a.shape[0], b.shape[0], a.shape[1]"
// tiles of 16 rows of 16 words in shared memory
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) xg_tile(const int* __restrict__ a, const int* __restrict__ b, int* __restrict__ out, int n, int k) {
    __shared__ int as[16][16], bs[16][17];
    int x = threadIdx.x, y = threadIdx.y, r0 = blockIdx.y * 16, c0 = blockIdx.x * 16, s = 0;
    for (int k0 = 0; k0 < k; k0 += 16) {
        as[y][x] = a[(r0 + y) * k + k0 + x];
        bs[y][x] = b[(c0 + y) * k + k0 + x];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; ++i) s += __popc(as[y][i] ^ bs[x][i]);
        __syncthreads();
    }
    out[(size_t)(r0 + y) * n + c0 + x] = 32 * k - 2 * s;
}
extern "C" void xnor(const int* a, const int* b, int* out, int m, int n, int k, cudaStream_t stream) {
    xg_tile<<<dim3(n / 16, m / 16), dim3(16, 16), 0, stream>>>(a, b, out, n, k);
}
