// kernelwright: task=../../tasks/walsh_hadamard.py entry=walsh_hadamard args="x, out, x.numel()"
// 64 threads a row, sixteen values a thread, three exchanges through shared memory
#include <cuda_runtime.h>

template <int N, int FROM>
__device__ void butterflies(float* v) {
#pragma unroll
    for (int span = FROM; span < N; span *= 2)
#pragma unroll
        for (int i = 0; i < 16; ++i)
            if (!(i & span)) {
                float a = v[i], b = v[i + span];
                v[i] = a + b;
                v[i + span] = a - b;
            }
}
__device__ int padded(int i) { return i + i / 64 * 4; }
__global__ void __launch_bounds__(64) wh_sixteen(const float* __restrict__ x, float4* __restrict__ out) {
    __shared__ float s[1088];
    int t = threadIdx.x;
    const float* row = x + (size_t)blockIdx.x * 1024;
    float v[16];
#pragma unroll
    for (int k = 0; k < 16; ++k) v[k] = row[t + 64 * k];
    butterflies<16, 1>(v);
#pragma unroll
    for (int k = 0; k < 16; ++k) s[padded(t + 64 * k)] = v[k];
    __syncthreads();
    int base = t / 4 * 64 + t % 4;
#pragma unroll
    for (int k = 0; k < 16; ++k) v[k] = s[padded(base + 4 * k)];
    butterflies<16, 1>(v);
#pragma unroll
    for (int k = 0; k < 16; ++k) s[padded(base + 4 * k)] = v[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) v[k] = s[padded(k / 4 * 256 + t * 4 + k % 4)];
    butterflies<4, 1>(v);
#pragma unroll
    for (int k = 0; k < 4; ++k)
        out[(size_t)blockIdx.x * 256 + k * 64 + t] = make_float4(v[4 * k] * 0.03125f, v[4 * k + 1] * 0.03125f, v[4 * k + 2] * 0.03125f, v[4 * k + 3] * 0.03125f);
}
extern "C" void walsh_hadamard(const float* x, float* out, int n, cudaStream_t stream) {
    wh_sixteen<<<n / 1024, 64, 0, stream>>>(x, (float4*)out);
}
