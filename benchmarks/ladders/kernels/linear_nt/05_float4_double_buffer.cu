// kernelwright: task=../../tasks/linear_nt.py entry=linear_nt args="x, w, b, out, x.shape[0], w.shape[0], x.shape[1]"
// 128 x 128 outputs a block of 256 threads, 8 x 8 a thread, float4 throughout, next tile in registers meanwhile; needs K % 4 == 0
#include <cuda_runtime.h>
constexpr int BM = 128, BN = 128, BK = 8;

__global__ void __launch_bounds__(256, 2) linear_vec(const float* __restrict__ x, const float* __restrict__ w, const float* __restrict__ b, float* __restrict__ out, int M, int N, int K) {
    __shared__ __align__(16) float xs[2][BK][BM + 4];
    __shared__ __align__(16) float ws[2][BK][BN + 4];
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
    int lr = t / 2, lk = (t % 2) * 4;
    float acc[8][8] = {};
    float4 xv, wv;
    const float4 zero = make_float4(0.f, 0.f, 0.f, 0.f);
    auto fetch = [&](int k0) {
        bool in = k0 + lk < K;
        xv = (in && m0 + lr < M) ? *reinterpret_cast<const float4*>(x + (size_t)(m0 + lr) * K + k0 + lk) : zero;
        wv = (in && n0 + lr < N) ? *reinterpret_cast<const float4*>(w + (size_t)(n0 + lr) * K + k0 + lk) : zero;
    };
    auto put = [&](int s) {
        xs[s][lk][lr] = xv.x; xs[s][lk + 1][lr] = xv.y; xs[s][lk + 2][lr] = xv.z; xs[s][lk + 3][lr] = xv.w;
        ws[s][lk][lr] = wv.x; ws[s][lk + 1][lr] = wv.y; ws[s][lk + 2][lr] = wv.z; ws[s][lk + 3][lr] = wv.w;
    };
    fetch(0);
    put(0);
    __syncthreads();
    int s = 0;
    for (int k0 = 0; k0 < K; k0 += BK) {
        bool more = k0 + BK < K;
        if (more) fetch(k0 + BK);
#pragma unroll
        for (int k = 0; k < BK; k++) {
            float4 x0 = *reinterpret_cast<const float4*>(&xs[s][k][ty * 4]), x1 = *reinterpret_cast<const float4*>(&xs[s][k][64 + ty * 4]);
            float4 w0 = *reinterpret_cast<const float4*>(&ws[s][k][tx * 4]), w1 = *reinterpret_cast<const float4*>(&ws[s][k][64 + tx * 4]);
            float xr[8] = {x0.x, x0.y, x0.z, x0.w, x1.x, x1.y, x1.z, x1.w};
            float wr[8] = {w0.x, w0.y, w0.z, w0.w, w1.x, w1.y, w1.z, w1.w};
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++) acc[i][j] += xr[i] * wr[j];
        }
        if (more) {
            put(s ^ 1);
            __syncthreads();
            s ^= 1;
        }
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        int m = m0 + (i / 4) * 64 + ty * 4 + i % 4;
        if (m >= M) continue;
#pragma unroll
        for (int h = 0; h < 2; h++) {
            int n = n0 + h * 64 + tx * 4;
            if (n + 3 < N && N % 4 == 0) {
                float4 bias = *reinterpret_cast<const float4*>(b + n);
                *reinterpret_cast<float4*>(out + (size_t)m * N + n) =
                    make_float4(acc[i][h * 4] + bias.x, acc[i][h * 4 + 1] + bias.y, acc[i][h * 4 + 2] + bias.z, acc[i][h * 4 + 3] + bias.w);
            } else {
#pragma unroll
                for (int j = 0; j < 4; j++)
                    if (n + j < N) out[(size_t)m * N + n + j] = acc[i][h * 4 + j] + b[n + j];
            }
        }
    }
}
extern "C" void linear_nt(const float* x, const float* w, const float* b, float* out, int M, int N, int K, cudaStream_t stream) {
    dim3 grid((N + BN - 1) / BN, (M + BM - 1) / BM);
    linear_vec<<<grid, 256, 0, stream>>>(x, w, b, out, M, N, K);
}
