// kernelwright: task=../../tasks/column_argmax.py entry=column_argmax args="x, out, x.shape[0], x.shape[1]"
// 64 rows a block; value and row packed into 64 bits for atomicMax, three launches
#include <cuda_runtime.h>

__device__ unsigned long long ca_key[2048];

__global__ void ca_clear(int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cols) ca_key[c] = 0;
}
__global__ void ca_pack(const float* x, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r0 = blockIdx.y * 64;
    if (c >= cols) return;
    unsigned long long best = 0;
    for (int r = r0; r < min(rows, r0 + 64); ++r) {
        unsigned u = __float_as_uint(x[(size_t)r * cols + c] + 0.f);
        u = u & 0x80000000u ? ~u : u | 0x80000000u;
        unsigned long long k = (unsigned long long)u << 32 | (0xffffffffu - r);
        best = best > k ? best : k;
    }
    atomicMax(&ca_key[c], best);
}
__global__ void ca_unpack(int* out, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cols) out[c] = 0xffffffffu - (unsigned)ca_key[c];
}
extern "C" void column_argmax(const float* x, int* out, int rows, int cols, cudaStream_t stream) {
    int blocks = (cols + 255) / 256;
    ca_clear<<<blocks, 256, 0, stream>>>(cols);
    ca_pack<<<dim3(blocks, (rows + 63) / 64), 256, 0, stream>>>(x, rows, cols);
    ca_unpack<<<blocks, 256, 0, stream>>>(out, cols);
}
