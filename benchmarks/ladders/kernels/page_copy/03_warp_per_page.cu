// kernelwright: task=../../tasks/page_copy.py entry=page_copy args="cache, table, out, table.shape[0]"
// a warp a page, eight accesses of 16 bytes under way at once
#include <cuda_fp16.h>

__global__ void pc_warp(const uint4* cache, const int* table, uint4* out, int used) {
    int p = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (p >= used) return;
    const uint4* from = cache + (size_t)table[p] * 256;
    uint4 v[8];
#pragma unroll
    for (int j = 0; j < 8; ++j) v[j] = from[j * 32 + lane];
#pragma unroll
    for (int j = 0; j < 8; ++j) out[(size_t)p * 256 + j * 32 + lane] = v[j];
}
extern "C" void page_copy(const __half* cache, const int* table, __half* out, int used, cudaStream_t stream) {
    pc_warp<<<(used + 7) / 8, 256, 0, stream>>>((const uint4*)cache, table, (uint4*)out, used);
}
