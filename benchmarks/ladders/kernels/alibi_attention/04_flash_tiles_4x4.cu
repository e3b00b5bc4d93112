// kernelwright: task=../../tasks/alibi_attention.py entry=alibi args="q, k, v, slope, out, q.shape[0], q.shape[1]"
// 64 queries by 64 keys a tile, 256 threads with 4 x 4 scores each, probabilities go through shared memory
#include <cuda_runtime.h>
#include <math.h>

__global__ void __launch_bounds__(256) al_flash(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v, const float* __restrict__ slope, float* __restrict__ out, int S) {
    extern __shared__ float room[];
    float(*qs)[68] = (float(*)[68])room;              // by dimension
    float(*ks)[68] = (float(*)[68])(room + 64 * 68);  // by dimension, then probabilities by key
    float(*vs)[64] = (float(*)[64])(room + 2 * 64 * 68);
    int t = threadIdx.x, tx = t % 16, ty = t / 16, h = blockIdx.y, tile = gridDim.x - 1 - blockIdx.x, i0 = tile * 64;
    q += (size_t)h * S * 64;
    k += (size_t)h * S * 64;
    v += (size_t)h * S * 64;
    float a = slope[h], m[4], l[4] = {}, acc[4][4] = {};
    for (int i = 0; i < 4; i++) m[i] = -1e30f;
    for (int c = t; c < 4096; c += 256) qs[c % 64][c / 64] = q[(size_t)i0 * 64 + c] * 0.125f;
    for (int j0 = 0; j0 <= i0; j0 += 64) {
        __syncthreads();
        for (int c = t; c < 4096; c += 256) ks[c % 64][c / 64] = k[(size_t)j0 * 64 + c];
        for (int c = t; c < 1024; c += 256) *(float4*)&vs[c / 16][c % 16 * 4] = *(const float4*)&v[(size_t)j0 * 64 + c * 4];
        __syncthreads();
        float s[4][4] = {};
#pragma unroll 8
        for (int d = 0; d < 64; d++) {
            float4 x = *(float4*)&qs[d][ty * 4], y = *(float4*)&ks[d][tx * 4];
            float xv[4] = {x.x, x.y, x.z, x.w}, yv[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) s[i][j] += xv[i] * yv[j];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int row = i0 + ty * 4 + i;
            float n = m[i];
#pragma unroll
            for (int j = 0; j < 4; j++) {
                int col = j0 + tx * 4 + j;
                s[i][j] = col <= row ? s[i][j] - a * (row - col) : -1e30f;
                n = fmaxf(n, s[i][j]);
            }
#pragma unroll
            for (int o = 8; o; o >>= 1) n = fmaxf(n, __shfl_xor_sync(~0u, n, o));
            float f = __expf(m[i] - n), sum = 0.f;
#pragma unroll
            for (int j = 0; j < 4; j++) {
                float p = __expf(s[i][j] - n);
                ks[tx * 4 + j][ty * 4 + i] = p;
                sum += p;
            }
#pragma unroll
            for (int o = 8; o; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
            l[i] = l[i] * f + sum;
            m[i] = n;
#pragma unroll
            for (int j = 0; j < 4; j++) acc[i][j] *= f;
        }
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 64; j++) {
            float4 x = *(float4*)&ks[j][ty * 4], y = *(float4*)&vs[j][tx * 4];
            float xv[4] = {x.x, x.y, x.z, x.w}, yv[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int c = 0; c < 4; c++) acc[i][c] += xv[i] * yv[c];
        }
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float inv = 1.f / l[i];
        *(float4*)&out[((size_t)h * S + i0 + ty * 4 + i) * 64 + tx * 4] = make_float4(acc[i][0] * inv, acc[i][1] * inv, acc[i][2] * inv, acc[i][3] * inv);
    }
}
extern "C" void alibi(const float* q, const float* k, const float* v, const float* slope, float* out, int H, int S, cudaStream_t stream) {
    int bytes = (2 * 64 * 68 + 64 * 64) * sizeof(float);
    cudaFuncSetAttribute(al_flash, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    al_flash<<<dim3(S / 64, H), 256, bytes, stream>>>(q, k, v, slope, out, S);
}
