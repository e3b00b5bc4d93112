// kernelwright: task=../../tasks/hamming.py entry=hamming args="x, queries, out, x.shape[0], queries.shape[0]"
// the row in registers, the others in shared memory
#include <cuda_runtime.h>

__global__ void hm_registers(const int4* x, const int4* q, int* out, int n, int m) {
    extern __shared__ int4 s[];
    for (int j = threadIdx.x; j < 2 * m; j += blockDim.x) s[j] = q[j];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int4 a = x[2 * i], b = x[2 * i + 1];
    int least = 256;
    for (int j = 0; j < m; ++j) {
        int4 c = s[2 * j], d = s[2 * j + 1];
        int sum = __popc(a.x ^ c.x) + __popc(a.y ^ c.y) + __popc(a.z ^ c.z) + __popc(a.w ^ c.w) + __popc(b.x ^ d.x) +
                  __popc(b.y ^ d.y) + __popc(b.z ^ d.z) + __popc(b.w ^ d.w);
        least = min(least, sum);
    }
    out[i] = least;
}
extern "C" void hamming(const int* x, const int* queries, int* out, int n, int m, cudaStream_t stream) {
    hm_registers<<<(n + 255) / 256, 256, m * 32, stream>>>((const int4*)x, (const int4*)queries, out, n, m);
}
