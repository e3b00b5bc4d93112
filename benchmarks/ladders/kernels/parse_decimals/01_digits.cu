// kernelwright: task=../../tasks/parse_decimals.py entry=parse args="x, out, x.shape[0] // 9"
// a thread a number, eight bytes one after another
#include <cuda_runtime.h>

__global__ void pd_digits(const unsigned char* x, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = 0;
    for (int k = 0; k < 8; k++) v = v * 10 + (x[9 * i + k] - '0');
    out[i] = v;
}
extern "C" void parse(const unsigned char* x, int* out, int n, cudaStream_t stream) {
    pd_digits<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
}
