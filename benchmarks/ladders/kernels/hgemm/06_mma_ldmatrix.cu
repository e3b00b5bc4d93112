// kernelwright: task=../../tasks/hgemm.py entry=hgemm args="a, b, out, a.shape[0], b.shape[1], a.shape[1]"
// 128 x 64 outputs a block of four warps: cp.async, ldmatrix and mma.sync written out, three stages
#include <cuda_fp16.h>

__device__ __forceinline__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__global__ void __launch_bounds__(128) hg_mma(const __half* a, const __half* b, float* out, int m, int n, int k) {
    __shared__ __align__(16) __half as[3][128][40], bs[3][32][72];
    int t = threadIdx.x, lane = t % 32, w = t / 32, r0 = blockIdx.y * 128, c0 = blockIdx.x * 64;
    int wr = w / 2 * 64, wc = w % 2 * 32;
    float acc[4][4][4] = {};
    auto fetch = [&](int s, int k0) {
        for (int i = t; i < 512; i += 128)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&as[s][i / 4][i % 4 * 8])),
                         "l"(&a[(r0 + i / 4) * k + k0 + i % 4 * 8]));
        for (int i = t; i < 256; i += 128)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&bs[s][i / 8][i % 8 * 8])),
                         "l"(&b[(k0 + i / 8) * n + c0 + i % 8 * 8]));
        asm volatile("cp.async.commit_group;");
    };
    fetch(0, 0);
    fetch(1, 32);
    int steps = k / 32;
    for (int step = 0; step < steps; ++step) {
        asm volatile("cp.async.wait_group 1;");
        __syncthreads();
        int s = step % 3;
        if (step + 2 < steps) fetch((step + 2) % 3, (step + 2) * 32);
        else asm volatile("cp.async.commit_group;");
#pragma unroll
        for (int kk = 0; kk < 32; kk += 16) {
            unsigned fa[4][4], fb[4][2];
#pragma unroll
            for (int i = 0; i < 4; ++i)
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                             : "=r"(fa[i][0]), "=r"(fa[i][1]), "=r"(fa[i][2]), "=r"(fa[i][3])
                             : "r"(shared_address(&as[s][wr + i * 16 + lane % 16][kk + lane / 16 * 8])));
#pragma unroll
            for (int j = 0; j < 4; ++j)
                asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                             : "=r"(fb[j][0]), "=r"(fb[j][1])
                             : "r"(shared_address(&bs[s][kk + lane % 16][wc + j * 8])));
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                                 : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
                                 : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j][0]), "r"(fb[j][1]));
        }
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            int r = r0 + wr + i * 16 + lane / 4, c = c0 + wc + j * 8 + lane % 4 * 2;
            *(float2*)&out[r * n + c] = make_float2(acc[i][j][0], acc[i][j][1]);
            *(float2*)&out[(r + 8) * n + c] = make_float2(acc[i][j][2], acc[i][j][3]);
        }
}
extern "C" void hgemm(const __half* a, const __half* b, float* out, int m, int n, int k, cudaStream_t stream) {
    hg_mma<<<dim3(n / 64, m / 128), 128, 0, stream>>>(a, b, out, m, n, k);
}
