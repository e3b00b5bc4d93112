// kernelwright: task=../../tasks/linear_recurrence.py entry=linear_recurrence args="a, x, out, x.shape[0], x.shape[1]"
// a thread a channel, step by step
#include <cuda_runtime.h>

__global__ void lr_plain(const float* a, const float* x, float* out, int t, int c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= c) return;
    float h = 0.f;
    for (int k = 0; k < t; ++k) {
        h = a[(size_t)k * c + i] * h + x[(size_t)k * c + i];
        out[(size_t)k * c + i] = h;
    }
}
extern "C" void linear_recurrence(const float* a, const float* x, float* out, int t, int c, cudaStream_t stream) {
    lr_plain<<<(c + 255) / 256, 256, 0, stream>>>(a, x, out, t, c);
}
