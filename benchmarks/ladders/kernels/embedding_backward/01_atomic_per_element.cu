// kernelwright: task=../../tasks/embedding_backward.py entry=embed_back args="g, token, out, g.shape[0], g.shape[1]"
// zeros, then a thread an element and an atomic each
#include <cuda_runtime.h>

__global__ void eb_atomic(const float* g, const int* token, float* out, int d) {
    out += (size_t)token[blockIdx.x] * d;
    for (int i = threadIdx.x; i < d; i += 256) atomicAdd(out + i, g[(size_t)blockIdx.x * d + i]);
}
extern "C" void embed_back(const float* g, const int* token, float* out, int t, int d, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, (size_t)8192 * d * 4, stream);
    eb_atomic<<<t, 256, 0, stream>>>(g, token, out, d);
}
