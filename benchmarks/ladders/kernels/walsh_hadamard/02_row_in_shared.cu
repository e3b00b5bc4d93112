// kernelwright: task=../../tasks/walsh_hadamard.py entry=walsh_hadamard args="x, out, x.numel()"
// a block a row in shared memory, a barrier a stage
#include <cuda_runtime.h>

__global__ void wh_shared(const float* __restrict__ x, float* __restrict__ out) {
    __shared__ float s[1024];
    int t = threadIdx.x;
    size_t row = (size_t)blockIdx.x * 1024;
    s[t] = x[row + t];
    s[t + 512] = x[row + t + 512];
    __syncthreads();
    for (int span = 1; span < 1024; span *= 2) {
        int at = t / span * 2 * span + t % span;
        float a = s[at], b = s[at + span];
        s[at] = a + b;
        s[at + span] = a - b;
        __syncthreads();
    }
    out[row + t] = s[t] * 0.03125f;
    out[row + t + 512] = s[t + 512] * 0.03125f;
}
extern "C" void walsh_hadamard(const float* x, float* out, int n, cudaStream_t stream) {
    wh_shared<<<n / 1024, 512, 0, stream>>>(x, out);
}
