// kernelwright: task=../../tasks/lion_step.py entry=lion_step args="p, m, g, out, p.numel()"
// half of the elements on a stream of its own
#include <cuda_runtime.h>

__global__ void li_part(const float* __restrict__ p, const float* __restrict__ m, const float* __restrict__ g, float* __restrict__ out, int first, int last, int n) {
    int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= last) return;
    float a = m[i], b = g[i], u = 0.9f * a + 0.1f * b;
    out[i] = p[i] * (1.f - 0.01f * 0.1f) - 0.01f * (float)((u > 0.f) - (u < 0.f));
    out[n + i] = 0.99f * a + 0.01f * b;
}
extern "C" void lion_step(const float* p, const float* m, const float* g, float* out, int n, cudaStream_t stream) {
    static cudaStream_t side = nullptr;
    static cudaEvent_t fork, join;
    if (!side) {
        cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
        cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
    }
    int half = n / 2;
    cudaEventRecord(fork, stream);
    cudaStreamWaitEvent(side, fork, 0);
    li_part<<<(half + 255) / 256, 256, 0, stream>>>(p, m, g, out, 0, half, n);
    li_part<<<(n - half + 255) / 256, 256, 0, side>>>(p, m, g, out, half, n, n);
    cudaEventRecord(join, side);
    cudaStreamWaitEvent(stream, join, 0);
}
