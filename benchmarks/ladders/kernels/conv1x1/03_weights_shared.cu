// kernelwright: task=../../tasks/conv1x1.py entry=conv1x1 args="x, w, out, x.shape[0], x.shape[1], w.shape[0], x.shape[2]*x.shape[3]"
// as before, the eight filters laid out by channel in shared memory and read as two float4
#include <cuda_runtime.h>

__global__ void pw_shared(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ out, int C, int K, int P) {
    extern __shared__ float4 ws[];
    float* wf = (float*)ws;
    int p = blockIdx.x * blockDim.x + threadIdx.x, k = blockIdx.y * 8, n = blockIdx.z;
    for (int i = threadIdx.x; i < 8 * C; i += blockDim.x) wf[(i % C) * 8 + i / C] = w[(k + i / C) * C + i % C];
    __syncthreads();
    if (p >= P) return;
    float s[8] = {};
#pragma unroll 4
    for (int c = 0; c < C; c++) {
        float v = x[(n * C + c) * P + p];
        float4 a = ws[2 * c], b = ws[2 * c + 1];
        s[0] += a.x * v; s[1] += a.y * v; s[2] += a.z * v; s[3] += a.w * v;
        s[4] += b.x * v; s[5] += b.y * v; s[6] += b.z * v; s[7] += b.w * v;
    }
#pragma unroll
    for (int j = 0; j < 8; j++) out[(n * K + k + j) * P + p] = s[j];
}
extern "C" void conv1x1(const float* x, const float* w, float* out, int N, int C, int K, int P, cudaStream_t stream) {
    pw_shared<<<dim3((P + 127) / 128, K / 8, N), 128, 8 * C * sizeof(float), stream>>>(x, w, out, C, K, P);
}
