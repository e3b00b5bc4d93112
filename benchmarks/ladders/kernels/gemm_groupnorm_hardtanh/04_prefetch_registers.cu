// kernelwright: task=../../tasks/gemm_groupnorm_hardtanh.py entry=forward args="x, weight, bias, gamma, beta, out, x.shape[0], x.shape[1], weight.shape[0]"
// next tile loaded into registers while this one is multiplied; float4 stores
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) fused_kernel(const float* __restrict__ x, const float* __restrict__ w, const float* __restrict__ bias,
                                                    const float* __restrict__ gamma, const float* __restrict__ beta, float* __restrict__ out,
                                                    int K, int N) {
    __shared__ float xs[2][16][68];
    __shared__ float ws[2][16][68];
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    int lr = t / 4, lk = t % 4 * 4;
    const float* xp = x + (size_t)(blockIdx.y * 64 + lr) * K + lk;
    const float* wp = w + (size_t)(blockIdx.x * 64 + lr) * K + lk;
    float acc[4][4] = {};
    float4 u = *(const float4*)xp, v = *(const float4*)wp;
    int s = 0;
    for (int k0 = 0; k0 < K; k0 += 16, s ^= 1) {
        xs[s][lk][lr] = u.x; xs[s][lk + 1][lr] = u.y; xs[s][lk + 2][lr] = u.z; xs[s][lk + 3][lr] = u.w;
        ws[s][lk][lr] = v.x; ws[s][lk + 1][lr] = v.y; ws[s][lk + 2][lr] = v.z; ws[s][lk + 3][lr] = v.w;
        __syncthreads();
        if (k0 + 16 < K) {
            u = *(const float4*)(xp + k0 + 16);
            v = *(const float4*)(wp + k0 + 16);
        }
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            float4 a = *(const float4*)&xs[s][k][ty * 4];
            float4 b = *(const float4*)&ws[s][k][tx * 4];
            float ar[4] = {a.x, a.y, a.z, a.w}, br[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) acc[i][j] = fmaf(ar[i], br[j], acc[i][j]);
        }
    }
    int c = blockIdx.x * 64 + tx * 4;
    float4 bi = *(const float4*)&bias[c], ga = *(const float4*)&gamma[c], be = *(const float4*)&beta[c];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        acc[i][0] += bi.x; acc[i][1] += bi.y; acc[i][2] += bi.z; acc[i][3] += bi.w;
        float m = acc[i][0] + acc[i][1] + acc[i][2] + acc[i][3];
#pragma unroll
        for (int o = 8; o; o /= 2) m += __shfl_xor_sync(0xffffffff, m, o);
        m *= 1.f / 64.f;
        float q = 0.f;
#pragma unroll
        for (int j = 0; j < 4; ++j) { acc[i][j] -= m; q += acc[i][j] * acc[i][j]; }
#pragma unroll
        for (int o = 8; o; o /= 2) q += __shfl_xor_sync(0xffffffff, q, o);
        float inv = rsqrtf(q * (1.f / 64.f) + 1e-5f);
        float4 r;
        r.x = fminf(fmaxf(acc[i][0] * inv * ga.x + be.x, -2.f), 2.f);
        r.y = fminf(fmaxf(acc[i][1] * inv * ga.y + be.y, -2.f), 2.f);
        r.z = fminf(fmaxf(acc[i][2] * inv * ga.z + be.z, -2.f), 2.f);
        r.w = fminf(fmaxf(acc[i][3] * inv * ga.w + be.w, -2.f), 2.f);
        *(float4*)&out[(size_t)(blockIdx.y * 64 + ty * 4 + i) * N + c] = r;
    }
}

extern "C" void forward(const float* x, const float* weight, const float* bias, const float* gamma, const float* beta, float* out, int M, int K, int N, cudaStream_t stream) {
    fused_kernel<<<dim3(N / 64, M / 64), 256, 0, stream>>>(x, weight, bias, gamma, beta, out, K, N);
}
