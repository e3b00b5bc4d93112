// kernelwright: task=../../tasks/alibi_attention.py entry=alibi args="q, k, v, slope, out, q.shape[0], q.shape[1]"
// the same three launches that leave out what the mask hides: blocks above the diagonal return, rows end at it
#include <cuda_runtime.h>
#include <math.h>

__device__ float al_scores[16 * 1024 * 1024];

__global__ void al_score(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ slope, int S) {
    __shared__ float qs[16][64], ks[16][65];
    if (blockIdx.x > blockIdx.y) return;
    int h = blockIdx.z, i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
#pragma unroll
    for (int d = threadIdx.x; d < 64; d += 16) {
        qs[threadIdx.y][d] = q[((size_t)h * S + i) * 64 + d];
        ks[threadIdx.y][d] = k[((size_t)h * S + blockIdx.x * 16 + threadIdx.y) * 64 + d];
    }
    __syncthreads();
    float s = 0.f;
#pragma unroll
    for (int d = 0; d < 64; d++) s += qs[threadIdx.y][d] * ks[threadIdx.x][d];
    al_scores[((size_t)h * S + i) * S + j] = j <= i ? s * 0.125f - slope[h] * (i - j) : -INFINITY;
}
__global__ void al_softmax(int S) {
    int r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32, n = (r % S) / 16 * 16 + 16;
    float* row = al_scores + (size_t)r * S;
    float m = -INFINITY, s = 0.f;
    for (int i = lane; i < n; i += 32) m = fmaxf(m, row[i]);
    for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
    for (int i = lane; i < n; i += 32) {
        float e = __expf(row[i] - m);
        row[i] = e;
        s += e;
    }
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
    s = 1.f / s;
    for (int i = lane; i < n; i += 32) row[i] *= s;
}
__global__ void al_apply(const float* __restrict__ v, float* __restrict__ out, int S) {
    __shared__ float ps[16][16], vs[16][64];
    int h = blockIdx.y, i = blockIdx.x * 16 + threadIdx.y, tx = threadIdx.x;
    float acc[4] = {};
    for (int j0 = 0; j0 < (blockIdx.x + 1) * 16; j0 += 16) {
        ps[threadIdx.y][tx] = al_scores[((size_t)h * S + i) * S + j0 + tx];
#pragma unroll
        for (int d = tx; d < 64; d += 16) vs[threadIdx.y][d] = v[((size_t)h * S + j0 + threadIdx.y) * 64 + d];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 16; j++)
#pragma unroll
            for (int c = 0; c < 4; c++) acc[c] += ps[threadIdx.y][j] * vs[j][tx + 16 * c];
        __syncthreads();
    }
    for (int c = 0; c < 4; c++) out[((size_t)h * S + i) * 64 + tx + 16 * c] = acc[c];
}
extern "C" void alibi(const float* q, const float* k, const float* v, const float* slope, float* out, int H, int S, cudaStream_t stream) {
    al_score<<<dim3(S / 16, S / 16, H), dim3(16, 16), 0, stream>>>(q, k, slope, S);
    al_softmax<<<H * S / 8, 256, 0, stream>>>(S);
    al_apply<<<dim3(S / 16, H), dim3(16, 16), 0, stream>>>(v, out, S);
}
