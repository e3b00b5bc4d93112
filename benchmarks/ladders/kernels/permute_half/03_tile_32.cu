// kernelwright: task=../../tasks/permute_half.py entry=permute_half args="x, out, x.shape[0], x.shape[1], x.shape[2]"
// tiles of 32 x 32 in shared memory
#include <cuda_fp16.h>

__global__ void pe_tile(const __half* x, __half* out, int c, int p) {
    __shared__ __half s[32][32];
    size_t base = (size_t)blockIdx.z * c * p;
    int p0 = blockIdx.x * 32, c0 = blockIdx.y * 32, tx = threadIdx.x;
    for (int j = threadIdx.y; j < 32; j += 8) s[j][tx] = x[base + (size_t)(c0 + j) * p + p0 + tx];
    __syncthreads();
    for (int j = threadIdx.y; j < 32; j += 8) out[base + (size_t)(p0 + j) * c + c0 + tx] = s[tx][j];
}
extern "C" void permute_half(const __half* x, __half* out, int b, int c, int p, cudaStream_t stream) {
    pe_tile<<<dim3(p / 32, c / 32, b), dim3(32, 8), 0, stream>>>(x, out, c, p);
}
