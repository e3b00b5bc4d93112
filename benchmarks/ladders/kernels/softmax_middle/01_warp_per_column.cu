// kernelwright: task=../../tasks/softmax_middle.py entry=softmax_mid args="x, out, x.shape[0], x.shape[1], x.shape[2]"
// a warp a column: neighbouring lanes a whole row apart
#include <cuda_runtime.h>

__global__ void sm_warp(const float* x, float* out, int c, int s) {
    int col = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    size_t base = (size_t)(col / s) * c * s + col % s;
    float m = -1e30f, sum = 0.f;
    for (int i = lane; i < c; i += 32) m = fmaxf(m, x[base + (size_t)i * s]);
    for (int o = 16; o; o /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
    for (int i = lane; i < c; i += 32) sum += __expf(x[base + (size_t)i * s] - m);
    for (int o = 16; o; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
    for (int i = lane; i < c; i += 32) out[base + (size_t)i * s] = __expf(x[base + (size_t)i * s] - m) / sum;
}
extern "C" void softmax_mid(const float* x, float* out, int b, int c, int s, cudaStream_t stream) {
    sm_warp<<<b * s / 8, 256, 0, stream>>>(x, out, c, s);
}
