// kernelwright: task=../../tasks/records_to_planes.py entry=records_to_planes args="x, out, x.shape[0]"
// a thread an element of the output, loads a record apart
#include <cuda_runtime.h>

__global__ void rp_out(const float* x, float* out, int n) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < n) out[(size_t)blockIdx.y * n + r] = x[(size_t)r * 7 + blockIdx.y];
}
extern "C" void records_to_planes(const float* x, float* out, int n, cudaStream_t stream) {
    rp_out<<<dim3((n + 255) / 256, 7), 256, 0, stream>>>(x, out, n);
}
