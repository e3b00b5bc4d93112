// kernelwright: task=../../tasks/page_copy.py entry=page_copy args="cache, table, out, table.shape[0]"
// a half a thread
#include <cuda_fp16.h>

__global__ void pc_half(const __half* cache, const int* table, __half* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = cache[(size_t)table[i / 2048] * 2048 + i % 2048];
}
extern "C" void page_copy(const __half* cache, const int* table, __half* out, int used, cudaStream_t stream) {
    pc_half<<<used * 8, 256, 0, stream>>>(cache, table, out, used * 2048);
}
