// kernelwright: task=../../tasks/conv1x1.py entry=conv1x1 args="x, w, out, x.shape[0], x.shape[1], w.shape[0], x.shape[2]*x.shape[3]"
// an output a thread, one channel after another
#include <cuda_runtime.h>

__global__ void pw_naive(const float* x, const float* w, float* out, int C, int K, int P) {
    int p = blockIdx.x * blockDim.x + threadIdx.x, k = blockIdx.y, n = blockIdx.z;
    if (p >= P) return;
    float s = 0.f;
    for (int c = 0; c < C; c++) s += w[k * C + c] * x[(n * C + c) * P + p];
    out[(n * K + k) * P + p] = s;
}
extern "C" void conv1x1(const float* x, const float* w, float* out, int N, int C, int K, int P, cudaStream_t stream) {
    pw_naive<<<dim3((P + 127) / 128, K, N), 128, 0, stream>>>(x, w, out, C, K, P);
}
