// kernelwright: task=../../tasks/image_to_planes.py entry=image_to_planes args="x, mean, std, out, x.shape[0], x.shape[1] * x.shape[2]"
// four pixels a thread: three words in, three float4 out; P a multiple of 4
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) ip_words(const unsigned* __restrict__ x, const float* __restrict__ mean, const float* __restrict__ std, float4* __restrict__ out, int Q) {
    int i = blockIdx.x * 256 + threadIdx.x, n = blockIdx.y;
    if (i >= Q) return;
    const unsigned* b = x + ((size_t)n * Q + i) * 3;
    unsigned w[3] = {b[0], b[1], b[2]};
    float4* o = out + (size_t)n * 3 * Q + i;
#pragma unroll
    for (int c = 0; c < 3; c++) {
        float s = 1.f / __ldg(std + c), k = s / 255.f, d = -__ldg(mean + c) * s, v[4];
#pragma unroll
        for (int p = 0; p < 4; p++) v[p] = (float)(w[(3 * p + c) / 4] >> (3 * p + c) % 4 * 8 & 255u) * k + d;
        o[c * Q] = make_float4(v[0], v[1], v[2], v[3]);
    }
}
extern "C" void image_to_planes(const unsigned char* x, const float* mean, const float* std, float* out, int N, int P, cudaStream_t stream) {
    ip_words<<<dim3((P / 4 + 255) / 256, N), 256, 0, stream>>>((const unsigned*)x, mean, std, (float4*)out, P / 4);
}
