// kernelwright: task=../../tasks/spmv.py entry=spmv args="start, col, val, x, out, out.shape[0]"
// a block of 128 a row: most threads idle
#include <cuda_runtime.h>

__global__ void sv_block(const int* start, const int* col, const float* val, const float* x, float* out) {
    __shared__ float part[4];
    int r = blockIdx.x, t = threadIdx.x;
    float s = 0.f;
    for (int i = start[r] + t; i < start[r + 1]; i += 128) s += val[i] * x[col[i]];
    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    if (t % 32 == 0) part[t / 32] = s;
    __syncthreads();
    if (t == 0) out[r] = part[0] + part[1] + part[2] + part[3];
}
extern "C" void spmv(const int* start, const int* col, const float* val, const float* x, float* out, int rows, cudaStream_t stream) {
    sv_block<<<rows, 128, 0, stream>>>(start, col, val, x, out);
}
