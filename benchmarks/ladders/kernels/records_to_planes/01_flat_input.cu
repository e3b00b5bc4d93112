// kernelwright: task=../../tasks/records_to_planes.py entry=records_to_planes args="x, out, x.shape[0]"
// a thread an element of the input, stores scattered over the planes
#include <cuda_runtime.h>

__global__ void rp_in(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 7 * n) out[(size_t)(i % 7) * n + i / 7] = x[i];
}
extern "C" void records_to_planes(const float* x, float* out, int n, cudaStream_t stream) {
    rp_in<<<(7 * n + 255) / 256, 256, 0, stream>>>(x, out, n);
}
