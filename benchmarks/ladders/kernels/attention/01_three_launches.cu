// kernelwright: task=../../tasks/attention.py entry=attention args="q, k, v, out, q.shape[0], q.shape[1]"
// scores, softmax and product by three kernels over a matrix of scores in global memory
#include <cuda_runtime.h>

__global__ void at_scores(const float* q, const float* k, float* p, int s) {
    __shared__ float qs[16][64], ks[16][65];
    int x = threadIdx.x, y = threadIdx.y, h = blockIdx.z;
    for (int i = y * 16 + x; i < 1024; i += 256) {
        qs[i / 64][i % 64] = q[((size_t)h * s + blockIdx.y * 16 + i / 64) * 64 + i % 64];
        ks[i / 64][i % 64] = k[((size_t)h * s + blockIdx.x * 16 + i / 64) * 64 + i % 64];
    }
    __syncthreads();
    float acc = 0.f;
    for (int d = 0; d < 64; ++d) acc += qs[y][d] * ks[x][d];
    p[((size_t)h * s + blockIdx.y * 16 + y) * s + blockIdx.x * 16 + x] = acc * 0.125f;
}
__global__ void at_softmax(float* p, int s) {
    __shared__ float red[8];
    float* row = p + (size_t)blockIdx.x * s;
    int t = threadIdx.x;
    float m = -3.4e38f, sum = 0.f;
    for (int i = t; i < s; i += 256) m = fmaxf(m, row[i]);
    for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
    if (t % 32 == 0) red[t / 32] = m;
    __syncthreads();
    for (int i = 0; i < 8; ++i) m = fmaxf(m, red[i]);
    __syncthreads();
    for (int i = t; i < s; i += 256) { float e = __expf(row[i] - m); row[i] = e; sum += e; }
    for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (t % 32 == 0) red[t / 32] = sum;
    __syncthreads();
    sum = 0.f;
    for (int i = 0; i < 8; ++i) sum += red[i];
    for (int i = t; i < s; i += 256) row[i] /= sum;
}
__global__ void at_product(const float* p, const float* v, float* out, int s) {
    __shared__ float ps[16][16], vs[16][64];
    int x = threadIdx.x, y = threadIdx.y, h = blockIdx.y;
    float acc[4] = {};
    for (int j0 = 0; j0 < s; j0 += 16) {
        ps[y][x] = p[((size_t)h * s + blockIdx.x * 16 + y) * s + j0 + x];
        for (int c = 0; c < 4; ++c) vs[y][c * 16 + x] = v[((size_t)h * s + j0 + y) * 64 + c * 16 + x];
        __syncthreads();
        for (int j = 0; j < 16; ++j)
            for (int c = 0; c < 4; ++c) acc[c] += ps[y][j] * vs[j][c * 16 + x];
        __syncthreads();
    }
    for (int c = 0; c < 4; ++c) out[((size_t)h * s + blockIdx.x * 16 + y) * 64 + c * 16 + x] = acc[c];
}
extern "C" void attention(const float* q, const float* k, const float* v, float* out, int bh, int s, cudaStream_t stream) {
    static float* ws = nullptr;
    static size_t cap = 0;
    size_t n = (size_t)bh * s * s;
    if (cap < n) { if (ws) cudaFree(ws); cudaMalloc(&ws, sizeof(float) * n); cap = n; }
    at_scores<<<dim3(s / 16, s / 16, bh), dim3(16, 16), 0, stream>>>(q, k, ws, s);
    at_softmax<<<bh * s, 256, 0, stream>>>(ws, s);
    at_product<<<dim3(s / 16, bh), dim3(16, 16), 0, stream>>>(ws, v, out, s);
}
