// kernelwright: task=../../tasks/conv1x1.py entry=conv1x1 args="x, w, out, x.shape[0], x.shape[1], w.shape[0], x.shape[2]*x.shape[3]"
// eight filters a thread, so that each load of x serves eight products; the weights come through the cache
#include <cuda_runtime.h>

__global__ void pw_eight(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ out, int C, int K, int P) {
    int p = blockIdx.x * blockDim.x + threadIdx.x, k = blockIdx.y * 8, n = blockIdx.z;
    if (p >= P) return;
    float s[8] = {};
    for (int c = 0; c < C; c++) {
        float v = x[(n * C + c) * P + p];
#pragma unroll
        for (int j = 0; j < 8; j++) s[j] += __ldg(w + (k + j) * C + c) * v;
    }
#pragma unroll
    for (int j = 0; j < 8; j++) out[(n * K + k + j) * P + p] = s[j];
}
extern "C" void conv1x1(const float* x, const float* w, float* out, int N, int C, int K, int P, cudaStream_t stream) {
    pw_eight<<<dim3((P + 127) / 128, K / 8, N), 128, 0, stream>>>(x, w, out, C, K, P);
}
