// kernelwright: task=../../tasks/tiny_mlp_half.py entry=tiny_mlp args="x, w1, w2, w3, out, x.shape[0]"
// a thread a point in floats: activations in a column of shared memory, weights there too, 64 sums in registers
#include <cuda_fp16.h>

template <int N>
__device__ __forceinline__ void mlp_layer(const float* h, const __half* w, float (&acc)[N]) {
#pragma unroll
    for (int j = 0; j < N; ++j) acc[j] = 0.f;
    for (int k = 0; k < 64; ++k) {
        float v = h[k * 64];
#pragma unroll
        for (int j = 0; j < N; ++j) acc[j] += v * __half2float(w[k * N + j]);
    }
}
__global__ void __launch_bounds__(64) mlp_point(const __half* x, const __half* w1, const __half* w2, const __half* w3, float* out) {
    __shared__ float h[64][64];
    __shared__ __half s1[4096], s2[4096], s3[1024];
    int t = threadIdx.x, p = blockIdx.x * 64 + t;
    for (int i = t; i < 4096; i += 64) {
        s1[i] = w1[i];
        s2[i] = w2[i];
    }
    for (int i = t; i < 1024; i += 64) s3[i] = w3[i];
    float acc[64];
    for (int i = 0; i < 64; ++i) h[i][t] = __half2float(x[(size_t)p * 64 + i]);
    __syncthreads();
    mlp_layer<64>(&h[0][t], s1, acc);
#pragma unroll
    for (int j = 0; j < 64; ++j) h[j][t] = fmaxf(acc[j], 0.f);
    mlp_layer<64>(&h[0][t], s2, acc);
#pragma unroll
    for (int j = 0; j < 64; ++j) h[j][t] = fmaxf(acc[j], 0.f);
    float o[16];
    mlp_layer<16>(&h[0][t], s3, o);
    for (int j = 0; j < 16; ++j) out[(size_t)p * 16 + j] = o[j];
}
extern "C" void tiny_mlp(const __half* x, const __half* w1, const __half* w2, const __half* w3, float* out, int p, cudaStream_t stream) {
    mlp_point<<<p / 64, 64, 0, stream>>>(x, w1, w2, w3, out);
}
