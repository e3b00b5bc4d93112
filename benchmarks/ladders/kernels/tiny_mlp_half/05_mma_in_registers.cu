// kernelwright: task=../../tasks/tiny_mlp_half.py entry=tiny_mlp args="x, w1, w2, w3, out, x.shape[0]"
// m16n8k16: accumulators become the next layer's fragments in registers, 32 points a warp, weights in shared memory by ldmatrix
#include <cuda_fp16.h>

__device__ __forceinline__ unsigned mlp_shared(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ __forceinline__ unsigned mlp_relu(float a, float b) {
    __half2 v = __floats2half2_rn(fmaxf(a, 0.f), fmaxf(b, 0.f));
    return *(unsigned*)&v;
}
template <int TILES, int PITCH>
__device__ __forceinline__ void mlp_product(const unsigned (&a)[2][4][4], const __half (*w)[PITCH], float (&acc)[2][TILES][4], int lane) {
#pragma unroll
    for (int j = 0; j < TILES; ++j) {
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
            for (int e = 0; e < 4; ++e) acc[i][j][e] = 0.f;
#pragma unroll
        for (int s = 0; s < 4; ++s) {
            unsigned b0, b1;
            asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                         : "=r"(b0), "=r"(b1)
                         : "r"(mlp_shared(&w[s * 16 + lane % 16][j * 8])));
#pragma unroll
            for (int i = 0; i < 2; ++i)
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                             : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
                             : "r"(a[i][s][0]), "r"(a[i][s][1]), "r"(a[i][s][2]), "r"(a[i][s][3]), "r"(b0), "r"(b1));
        }
    }
}
__device__ __forceinline__ void mlp_next(const float (&acc)[2][8][4], unsigned (&a)[2][4][4]) {
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int s = 0; s < 4; ++s) {
            a[i][s][0] = mlp_relu(acc[i][2 * s][0], acc[i][2 * s][1]);
            a[i][s][1] = mlp_relu(acc[i][2 * s][2], acc[i][2 * s][3]);
            a[i][s][2] = mlp_relu(acc[i][2 * s + 1][0], acc[i][2 * s + 1][1]);
            a[i][s][3] = mlp_relu(acc[i][2 * s + 1][2], acc[i][2 * s + 1][3]);
        }
}
__global__ void __launch_bounds__(128) mlp_chain(const __half* __restrict__ x, const uint4* __restrict__ w1, const uint4* __restrict__ w2, const uint4* __restrict__ w3, float* __restrict__ out) {
    __shared__ __align__(16) __half s1[64][72], s2[64][72], s3[64][24];
    int t = threadIdx.x, lane = t % 32, g = lane / 4, q = lane % 4;
#pragma unroll
    for (int i = t; i < 512; i += 128) {
        *(uint4*)&s1[i / 8][i % 8 * 8] = w1[i];
        *(uint4*)&s2[i / 8][i % 8 * 8] = w2[i];
    }
    *(uint4*)&s3[t / 2][t % 2 * 8] = w3[t];
    size_t r0 = (blockIdx.x * 4 + t / 32) * 32 + g;
    unsigned a[2][4][4];
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int s = 0; s < 4; ++s)
#pragma unroll
            for (int e = 0; e < 4; ++e) a[i][s][e] = *(const unsigned*)&x[(r0 + i * 16 + e % 2 * 8) * 64 + s * 16 + e / 2 * 8 + q * 2];
    __syncthreads();
    float acc[2][8][4], o[2][2][4];
    mlp_product<8, 72>(a, s1, acc, lane);
    mlp_next(acc, a);
    mlp_product<8, 72>(a, s2, acc, lane);
    mlp_next(acc, a);
    mlp_product<2, 24>(a, s3, o, lane);
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j)
#pragma unroll
            for (int e = 0; e < 2; ++e) *(float2*)&out[(r0 + i * 16 + e * 8) * 16 + j * 8 + q * 2] = make_float2(o[i][j][2 * e], o[i][j][2 * e + 1]);
}
extern "C" void tiny_mlp(const __half* x, const __half* w1, const __half* w2, const __half* w3, float* out, int p, cudaStream_t stream) {
    mlp_chain<<<p / 128, 128, 0, stream>>>(x, (const uint4*)w1, (const uint4*)w2, (const uint4*)w3, out);
}
