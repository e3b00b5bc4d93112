// kernelwright: task=../../tasks/page_copy.py entry=page_copy args="cache, table, out, table.shape[0]"
// a block of 128 a page, 16 bytes an access, two accesses a thread
#include <cuda_fp16.h>

__global__ void pc_page(const uint4* cache, const int* table, uint4* out) {
    size_t from = (size_t)table[blockIdx.x] * 256, to = (size_t)blockIdx.x * 256;
    for (int i = threadIdx.x; i < 256; i += 128) out[to + i] = cache[from + i];
}
extern "C" void page_copy(const __half* cache, const int* table, __half* out, int used, cudaStream_t stream) {
    pc_page<<<used, 128, 0, stream>>>((const uint4*)cache, table, (uint4*)out);
}
