// kernelwright: task=../../tasks/joint_histogram.py entry=joint args="a, b, out, a.shape[0]"
// two copies of the counts for odd and even lanes (32 KiB), sixteen bytes a load
#include <cuda_runtime.h>

__global__ void __launch_bounds__(512) jh_copies(const uint4* __restrict__ a, const uint4* __restrict__ b, int* __restrict__ out, int n) {
    __shared__ int h[2 * 4096];
    for (int i = threadIdx.x; i < 8192; i += 512) h[i] = 0;
    __syncthreads();
    int mine = threadIdx.x & 1, quads = n / 16;
    for (int i = blockIdx.x * 512 + threadIdx.x; i < quads; i += gridDim.x * 512) {
        uint4 p = a[i], q = b[i];
        unsigned u[4] = {p.x, p.y, p.z, p.w}, v[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
        for (int w = 0; w < 4; w++)
#pragma unroll
            for (int k = 2; k < 32; k += 8) atomicAdd(&h[((u[w] >> k & 63u) * 64 + (v[w] >> k & 63u)) * 2 + mine], 1);
    }
    if (blockIdx.x == 0 && threadIdx.x < n % 16) {
        int i = quads * 16 + threadIdx.x;
        atomicAdd(&h[((((const unsigned char*)a)[i] >> 2) * 64 + (((const unsigned char*)b)[i] >> 2)) * 2], 1);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 4096; i += 512) {
        int2 c = ((int2*)h)[i];
        if (c.x + c.y) atomicAdd(&out[i], c.x + c.y);
    }
}
extern "C" void joint(const unsigned char* a, const unsigned char* b, int* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, 4096 * sizeof(int), stream);
    jh_copies<<<528, 512, 0, stream>>>((const uint4*)a, (const uint4*)b, out, n);
}
