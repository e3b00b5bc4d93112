// kernelwright: task=../../tasks/attention.py entry=attention args="q, k, v, out, q.shape[0], q.shape[1]"
// 64 queries a block of 256, a tile of 64 keys at a time, 4 x 4 scores and outputs a thread
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) at_tile(const float* q, const float* k, const float* v, float* out, int s) {
    extern __shared__ float sm[];
    float(*qs)[68] = (float(*)[68])sm, (*ks)[68] = qs + 64, (*vs)[68] = ks + 64, (*ps)[68] = vs + 64;
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    size_t base = (size_t)blockIdx.y * s * 64;
    for (int i = t; i < 1024; i += 256) {
        float4 a = *(const float4*)&q[base + (size_t)blockIdx.x * 4096 + i * 4];
        int r = i / 16, c = i % 16 * 4;
        qs[c][r] = a.x; qs[c + 1][r] = a.y; qs[c + 2][r] = a.z; qs[c + 3][r] = a.w;
    }
    float acc[4][4] = {}, m[4], l[4];
    for (int i = 0; i < 4; ++i) { m[i] = -3.4e38f; l[i] = 0.f; }
    for (int j0 = 0; j0 < s; j0 += 64) {
        __syncthreads();
        for (int i = t; i < 1024; i += 256) {
            int r = i / 16, c = i % 16 * 4;
            float4 a = *(const float4*)&k[base + (size_t)(j0 + r) * 64 + c];
            ks[c][r] = a.x; ks[c + 1][r] = a.y; ks[c + 2][r] = a.z; ks[c + 3][r] = a.w;
            *(float4*)&vs[r][c] = *(const float4*)&v[base + (size_t)(j0 + r) * 64 + c];
        }
        __syncthreads();
        float p[4][4] = {};
#pragma unroll 8
        for (int d = 0; d < 64; ++d) {
            float4 a = *(const float4*)&qs[d][ty * 4], b = *(const float4*)&ks[d][tx * 4];
            float x[4] = {a.x, a.y, a.z, a.w}, y[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) p[i][j] += x[i] * y[j];
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            float n = m[i], sum = 0.f;
            for (int j = 0; j < 4; ++j) { p[i][j] *= 0.125f; n = fmaxf(n, p[i][j]); }
            for (int o = 8; o; o >>= 1) n = fmaxf(n, __shfl_xor_sync(0xffffffffu, n, o));
            float c = __expf(m[i] - n);
            for (int j = 0; j < 4; ++j) { p[i][j] = __expf(p[i][j] - n); sum += p[i][j]; }
            for (int o = 8; o; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
            m[i] = n;
            l[i] = l[i] * c + sum;
            for (int j = 0; j < 4; ++j) acc[i][j] *= c;
            *(float4*)&ps[ty * 4 + i][tx * 4] = make_float4(p[i][0], p[i][1], p[i][2], p[i][3]);
        }
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 64; ++j) {
            float4 b = *(const float4*)&vs[j][tx * 4];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                float e = ps[ty * 4 + i][j];
                acc[i][0] += e * b.x; acc[i][1] += e * b.y; acc[i][2] += e * b.z; acc[i][3] += e * b.w;
            }
        }
    }
    for (int i = 0; i < 4; ++i)
        *(float4*)&out[base + (size_t)(blockIdx.x * 64 + ty * 4 + i) * 64 + tx * 4] =
            make_float4(acc[i][0] / l[i], acc[i][1] / l[i], acc[i][2] / l[i], acc[i][3] / l[i]);
}
extern "C" void attention(const float* q, const float* k, const float* v, float* out, int bh, int s, cudaStream_t stream) {
    int bytes = 4 * 64 * 68 * sizeof(float);
    cudaFuncSetAttribute(at_tile, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    at_tile<<<dim3(s / 64, bh), 256, bytes, stream>>>(q, k, v, out, s);
}
