// kernelwright: task=../../tasks/wgrad_half.py entry=wgrad args="dy, x, out, dy.shape[0], dy.shape[1], x.shape[1]"
// as 03 with four pieces: half of the partial sums, half of the blocks
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>
using namespace nvcuda;

constexpr int LD = 72, SPLIT = 4;
__device__ float g_part[SPLIT * 512 * 512];

__global__ void __launch_bounds__(128) wgrad_kernel(const half* __restrict__ dy, const half* __restrict__ x, int T, int O, int I) {
    __shared__ __align__(16) half as[3][32 * LD];
    __shared__ __align__(16) half bs[3][32 * LD];
    int tid = threadIdx.x, warp = tid / 32;
    int o0 = blockIdx.y * 64, i0 = blockIdx.x * 64, wo = warp / 2 * 32, wi = warp % 2 * 32;
    int rows = T / SPLIT, t0 = blockIdx.z * rows;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) wmma::fill_fragment(acc[i][j], 0.0f);
    auto fetch = [&](int t) {
        int s = t / 32 % 3;
        if (t < rows)
            for (int e = tid; e < 256; e += 128) {
                int r = e / 8, c = e % 8 * 8;
                __pipeline_memcpy_async(&as[s][r * LD + c], &dy[(size_t)(t0 + t + r) * O + o0 + c], 16);
                __pipeline_memcpy_async(&bs[s][r * LD + c], &x[(size_t)(t0 + t + r) * I + i0 + c], 16);
            }
        __pipeline_commit();
    };
    fetch(0);
    fetch(32);
    for (int t = 0; t < rows; t += 32) {
        __pipeline_wait_prior(1);
        __syncthreads();
        fetch(t + 64);
        const half* A = as[t / 32 % 3];
        const half* Bm = bs[t / 32 % 3];
#pragma unroll
        for (int kk = 0; kk < 32; kk += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::col_major> a[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b[2];
            for (int i = 0; i < 2; i++) wmma::load_matrix_sync(a[i], A + kk * LD + wo + i * 16, LD);
            for (int j = 0; j < 2; j++) wmma::load_matrix_sync(b[j], Bm + kk * LD + wi + j * 16, LD);
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++) wmma::mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
        }
    }
    float* part = g_part + (size_t)blockIdx.z * O * I;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            wmma::store_matrix_sync(part + (size_t)(o0 + wo + i * 16) * I + i0 + wi + j * 16, acc[i][j], I, wmma::mem_row_major);
}

__global__ void join(float4* __restrict__ out, int n4) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    float4 s = ((const float4*)g_part)[i];
#pragma unroll
    for (int k = 1; k < SPLIT; k++) {
        float4 v = ((const float4*)g_part)[(size_t)k * n4 + i];
        s.x += v.x; s.y += v.y; s.z += v.z; s.w += v.w;
    }
    out[i] = s;
}

extern "C" void wgrad(const half* dy, const half* x, float* out, int T, int O, int I, cudaStream_t stream) {
    wgrad_kernel<<<dim3(I / 64, O / 64, SPLIT), 128, 0, stream>>>(dy, x, T, O, I);
    join<<<(O * I / 4 + 255) / 256, 256, 0, stream>>>((float4*)out, O * I / 4);
}
