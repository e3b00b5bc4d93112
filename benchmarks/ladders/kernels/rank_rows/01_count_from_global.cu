// kernelwright: task=../../tasks/rank_rows.py entry=rank_rows args="x, out, x.shape[0]"
// a thread an element counts the smaller ones in global memory
#include <cuda_runtime.h>

__global__ void rr_global(const float* x, int* out) {
    const float* p = x + blockIdx.x * 512;
    int i = threadIdx.x, n = 0;
    float v = p[i];
    for (int j = 0; j < 512; ++j) n += p[j] < v || (p[j] == v && j < i);
    out[blockIdx.x * 512 + i] = n;
}
extern "C" void rank_rows(const float* x, int* out, int rows, cudaStream_t stream) {
    rr_global<<<rows, 512, 0, stream>>>(x, out);
}
