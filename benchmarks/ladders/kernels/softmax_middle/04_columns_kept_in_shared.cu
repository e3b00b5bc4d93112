// kernelwright: task=../../tasks/softmax_middle.py entry=softmax_mid args="x, out, x.shape[0], x.shape[1], x.shape[2]"
// the block's 32 columns kept in dynamic shared memory: one read of the input
#include <cuda_runtime.h>

__global__ void __launch_bounds__(512) sm_kept(const float* __restrict__ x, float* __restrict__ out, int c, int s) {
    extern __shared__ float kept[];
    __shared__ float red[16][33];
    int tx = threadIdx.x, ty = threadIdx.y;
    size_t base = (size_t)blockIdx.y * c * s + blockIdx.x * 32 + tx;
    float m = -1e30f;
#pragma unroll 8
    for (int i = ty; i < c; i += 16) {
        float v = x[base + (size_t)i * s];
        kept[i * 32 + tx] = v;
        m = fmaxf(m, v);
    }
    red[ty][tx] = m;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) m = fmaxf(m, red[i][tx]);
    float sum = 0.f;
    for (int i = ty; i < c; i += 16) {
        float e = __expf(kept[i * 32 + tx] - m);
        kept[i * 32 + tx] = e;
        sum += e;
    }
    __syncthreads();
    red[ty][tx] = sum;
    __syncthreads();
    sum = 0.f;
#pragma unroll
    for (int i = 0; i < 16; ++i) sum += red[i][tx];
    float inv = 1.f / sum;
    for (int i = ty; i < c; i += 16) out[base + (size_t)i * s] = kept[i * 32 + tx] * inv;
}
extern "C" void softmax_mid(const float* x, float* out, int b, int c, int s, cudaStream_t stream) {
    cudaFuncSetAttribute(sm_kept, cudaFuncAttributeMaxDynamicSharedMemorySize, c * 128);
    sm_kept<<<dim3(s / 32, b), dim3(32, 16), c * 128, stream>>>(x, out, c, s);
}
