// kernelwright: task=../../tasks/softmax_middle.py entry=softmax_mid args="x, out, x.shape[0], x.shape[1], x.shape[2]"
// a thread a column, three passes
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) sm_thread(const float* __restrict__ x, float* __restrict__ out, int c, int s) {
    int col = blockIdx.x * 128 + threadIdx.x;
    const float* p = x + (size_t)(col / s) * c * s + col % s;
    float* q = out + (size_t)(col / s) * c * s + col % s;
    float m = -1e30f, sum = 0.f;
    for (int i = 0; i < c; ++i) m = fmaxf(m, p[(size_t)i * s]);
    for (int i = 0; i < c; ++i) sum += __expf(p[(size_t)i * s] - m);
    float inv = 1.f / sum;
    for (int i = 0; i < c; ++i) q[(size_t)i * s] = __expf(p[(size_t)i * s] - m) * inv;
}
extern "C" void softmax_mid(const float* x, float* out, int b, int c, int s, cudaStream_t stream) {
    sm_thread<<<b * s / 128, 128, 0, stream>>>(x, out, c, s);
}
