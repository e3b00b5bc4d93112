// kernelwright: task=../../tasks/permute_half.py entry=permute_half args="x, out, x.shape[0], x.shape[1], x.shape[2]"
// tiles of 64 x 64, two elements an access on both sides
#include <cuda_fp16.h>

__global__ void pe_pairs(const __half* x, __half* out, int c, int p) {
    __shared__ __half s[64][66];
    size_t base = (size_t)blockIdx.z * c * p;
    int p0 = blockIdx.x * 64, c0 = blockIdx.y * 64, tx = threadIdx.x;
    for (int j = threadIdx.y; j < 64; j += 8) *(__half2*)&s[j][2 * tx] = *(const __half2*)&x[base + (size_t)(c0 + j) * p + p0 + 2 * tx];
    __syncthreads();
    for (int j = threadIdx.y; j < 64; j += 8)
        *(__half2*)&out[base + (size_t)(p0 + j) * c + c0 + 2 * tx] = __halves2half2(s[2 * tx][j], s[2 * tx + 1][j]);
}
extern "C" void permute_half(const __half* x, __half* out, int b, int c, int p, cudaStream_t stream) {
    pe_pairs<<<dim3(p / 64, c / 64, b), dim3(32, 8), 0, stream>>>(x, out, c, p);
}
