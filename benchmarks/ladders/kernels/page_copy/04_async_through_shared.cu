// kernelwright: task=../../tasks/page_copy.py entry=page_copy args="cache, table, out, table.shape[0]"
// a block of 256 four pages in turn, by asynchronous copies to shared memory, two stages
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

__global__ void pc_async(const uint4* cache, const int* table, uint4* out) {
    __shared__ __align__(16) uint4 s[2][256];
    int t = threadIdx.x, p = blockIdx.x * 4;
    __pipeline_memcpy_async(&s[0][t], &cache[(size_t)table[p] * 256 + t], 16);
    __pipeline_commit();
    for (int j = 0; j < 4; ++j) {
        if (j < 3) __pipeline_memcpy_async(&s[(j + 1) % 2][t], &cache[(size_t)table[p + j + 1] * 256 + t], 16);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        out[(size_t)(p + j) * 256 + t] = s[j % 2][t];
    }
}
extern "C" void page_copy(const __half* cache, const int* table, __half* out, int used, cudaStream_t stream) {
    pc_async<<<used / 4, 256, 0, stream>>>((const uint4*)cache, table, (uint4*)out);
}
