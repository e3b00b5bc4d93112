// kernelwright: task=../../tasks/xnor_gemm.py entry=xnor args="a, b, out, a.shape[0], b.shape[0], a.shape[1]"
// 64 x 64 outputs a block, four by four a thread, words transposed in shared memory
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) xg_four(const int* __restrict__ a, const int* __restrict__ b, int* __restrict__ out, int n, int k) {
    __shared__ __align__(16) int as[16][68], bs[16][68];
    int t = threadIdx.x, x = t % 16, y = t / 16, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
    int s[4][4] = {};
    for (int k0 = 0; k0 < k; k0 += 16) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            as[x][y + 16 * i] = a[(r0 + y + 16 * i) * k + k0 + x];
            bs[x][y + 16 * i] = b[(c0 + y + 16 * i) * k + k0 + x];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            int4 u = *(int4*)&as[i][y * 4], v = *(int4*)&bs[i][x * 4];
            int p[4] = {u.x, u.y, u.z, u.w}, q[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int e = 0; e < 4; ++e)
#pragma unroll
                for (int f = 0; f < 4; ++f) s[e][f] += __popc(p[e] ^ q[f]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int e = 0; e < 4; ++e)
        *(int4*)&out[(size_t)(r0 + y * 4 + e) * n + c0 + x * 4] = make_int4(32 * k - 2 * s[e][0], 32 * k - 2 * s[e][1], 32 * k - 2 * s[e][2], 32 * k - 2 * s[e][3]);
}
extern "C" void xnor(const int* a, const int* b, int* out, int m, int n, int k, cudaStream_t stream) {
    xg_four<<<dim3(n / 64, m / 64), 256, 0, stream>>>(a, b, out, n, k);
}
