// kernelwright: task=../../tasks/splitk_bf16.py entry=splitk args="a, b, out, a.shape[0], b.shape[1], a.shape[1]"
// eight parts into a workspace and a launch that adds them; tiles by asynchronous copies, four stages
#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <mma.h>
using namespace nvcuda;

__device__ float sk_parts[8 * 128 * 2048];
struct __align__(32) SkStage { __nv_bfloat16 a[64][40], b[32][72]; };

__global__ void __launch_bounds__(128) sk_async(const __nv_bfloat16* __restrict__ a, const __nv_bfloat16* __restrict__ b, int m, int n, int k, int part) {
    __shared__ SkStage st[4];
    int t = threadIdx.x, w = t / 32, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64, first = blockIdx.z * part, steps = part / 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) wmma::fill_fragment(acc[i][j], 0.f);
    auto fetch = [&](int at) {
        if (at < steps) {
            SkStage& s = st[at % 4];
            int k0 = first + at * 32;
#pragma unroll
            for (int i = t; i < 256; i += 128) {
                __pipeline_memcpy_async(&s.a[i / 4][i % 4 * 8], &a[(size_t)(r0 + i / 4) * k + k0 + i % 4 * 8], 16);
                __pipeline_memcpy_async(&s.b[i / 8][i % 8 * 8], &b[(size_t)(k0 + i / 8) * n + c0 + i % 8 * 8], 16);
            }
        }
        __pipeline_commit();
    };
    fetch(0);
    fetch(1);
    fetch(2);
    for (int at = 0; at < steps; ++at) {
        __pipeline_wait_prior(2);
        __syncthreads();
        fetch(at + 3);
        SkStage& s = st[at % 4];
#pragma unroll
        for (int kk = 0; kk < 32; kk += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> fb[2];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                wmma::load_matrix_sync(fa[i], &s.a[w / 2 * 32 + 16 * i][kk], 40);
                wmma::load_matrix_sync(fb[i], &s.b[kk][w % 2 * 32 + 16 * i], 72);
            }
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 2; ++j) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
        }
    }
    float* o = sk_parts + (size_t)blockIdx.z * m * n;
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            wmma::store_matrix_sync(o + (size_t)(r0 + w / 2 * 32 + 16 * i) * n + c0 + w % 2 * 32 + 16 * j, acc[i][j], n, wmma::mem_row_major);
}
__global__ void sk_add(float4* out, int total4) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= total4) return;
    const float4* p = (const float4*)sk_parts;
    float4 s = p[i];
#pragma unroll
    for (int z = 1; z < 8; ++z) {
        float4 v = p[(size_t)z * total4 + i];
        s.x += v.x;
        s.y += v.y;
        s.z += v.z;
        s.w += v.w;
    }
    out[i] = s;
}
extern "C" void splitk(const __nv_bfloat16* a, const __nv_bfloat16* b, float* out, int m, int n, int k, cudaStream_t stream) {
    sk_async<<<dim3(n / 64, m / 64, 8), 128, 0, stream>>>(a, b, m, n, k, k / 8);
    sk_add<<<(m * n / 4 + 255) / 256, 256, 0, stream>>>((float4*)out, m * n / 4);
}
