// kernelwright: task=../../tasks/parse_decimals.py entry=parse args="x, out, x.shape[0] // 9"
// as before with a table of powers and no chain, the loop kept: a mis-optimisation
#include <cuda_runtime.h>

__global__ void pd_powers(const unsigned char* __restrict__ x, int* __restrict__ out, int n) {
    const int power[8] = {10000000, 1000000, 100000, 10000, 1000, 100, 10, 1};
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = 0;
#pragma unroll 1
    for (int k = 0; k < 8; k++) v += power[k] * (x[9 * i + k] - '0');
    out[i] = v;
}
extern "C" void parse(const unsigned char* x, int* out, int n, cudaStream_t stream) {
    pd_powers<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
}
