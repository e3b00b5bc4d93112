// kernelwright: task=../../tasks/permute_half.py entry=permute_half args="x, out, x.shape[0], x.shape[1], x.shape[2]"
// lanes along pixels: stores far apart
#include <cuda_fp16.h>

__global__ void pe_read(const __half* x, __half* out, int c, int p) {
    int i = blockIdx.x * 256 + threadIdx.x, k = blockIdx.y;
    size_t base = (size_t)blockIdx.z * c * p;
    if (i < p) out[base + (size_t)i * c + k] = x[base + (size_t)k * p + i];
}
extern "C" void permute_half(const __half* x, __half* out, int b, int c, int p, cudaStream_t stream) {
    pe_read<<<dim3((p + 255) / 256, c, b), 256, 0, stream>>>(x, out, c, p);
}
