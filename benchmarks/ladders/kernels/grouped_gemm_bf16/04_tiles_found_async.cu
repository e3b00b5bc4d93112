// kernelwright: task=../../tasks/grouped_gemm_bf16.py entry=grouped_gemm args="x, w, start, out, x.shape[0], w.shape[0], w.shape[1], x.shape[1]"
// a block finds its tile among the experts' tiles: hardly any leaves; 64 x 128 outputs, mma.sync, ldmatrix, three stages of cp.async
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__device__ __forceinline__ unsigned gt_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__global__ void __launch_bounds__(256) gt_tiles(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ w, const int* __restrict__ start, __nv_bfloat16* __restrict__ out, int experts, int n, int k) {
    __shared__ __align__(16) __nv_bfloat16 xs[3][64][40], ws[3][128][40];
    int tile = blockIdx.y, e = 0, row0 = 0, end = 0;
    for (; e < experts; ++e) {
        row0 = start[e];
        end = start[e + 1];
        int tiles = (end - row0 + 63) / 64;
        if (tile < tiles) break;
        tile -= tiles;
    }
    if (e == experts) return;
    row0 += tile * 64;
    w += (size_t)e * n * k;
    int t = threadIdx.x, lane = t % 32, warp = t / 32, wr = warp / 4 * 32, wc = warp % 4 * 32, n0 = blockIdx.x * 128, steps = k / 32;
    float acc[2][4][4] = {};
    auto fetch = [&](int at) {
        if (at < steps) {
            int r = t / 4, c = t % 4 * 8;
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(gt_address(&xs[at % 3][r][c])), "l"(&x[(size_t)min(row0 + r, end - 1) * k + at * 32 + c]));
#pragma unroll
            for (int h = 0; h < 128; h += 64)
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(gt_address(&ws[at % 3][r + h][c])), "l"(&w[(size_t)(n0 + r + h) * k + at * 32 + c]));
        }
        asm volatile("cp.async.commit_group;");
    };
    fetch(0);
    fetch(1);
    for (int at = 0; at < steps; ++at) {
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        fetch(at + 2);
        int s = at % 3;
#pragma unroll
        for (int p = 0; p < 32; p += 16) {
            unsigned fa[2][4], fb[4][2];
#pragma unroll
            for (int i = 0; i < 2; ++i)
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                             : "=r"(fa[i][0]), "=r"(fa[i][1]), "=r"(fa[i][2]), "=r"(fa[i][3])
                             : "r"(gt_address(&xs[s][wr + i * 16 + lane % 16][p + lane / 16 * 8])));
#pragma unroll
            for (int j = 0; j < 4; ++j)
                asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                             : "=r"(fb[j][0]), "=r"(fb[j][1])
                             : "r"(gt_address(&ws[s][wc + j * 8 + lane % 8][p + lane / 8 % 2 * 8])));
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                                 : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
                                 : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j][0]), "r"(fb[j][1]));
        }
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            int r = row0 + wr + i * 16 + lane / 4, c = n0 + wc + j * 8 + lane % 4 * 2;
            if (r < end) *(__nv_bfloat162*)&out[(size_t)r * n + c] = __floats2bfloat162_rn(acc[i][j][0], acc[i][j][1]);
            if (r + 8 < end) *(__nv_bfloat162*)&out[(size_t)(r + 8) * n + c] = __floats2bfloat162_rn(acc[i][j][2], acc[i][j][3]);
        }
}
extern "C" void grouped_gemm(const __nv_bfloat16* x, const __nv_bfloat16* w, const int* start, __nv_bfloat16* out, int rows, int experts, int n, int k, cudaStream_t stream) {
    gt_tiles<<<dim3(n / 128, rows / 64 + experts), 256, 0, stream>>>(x, w, start, out, experts, n, k);
}
