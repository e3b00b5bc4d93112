// kernelwright: task=../../tasks/gf256_parity.py entry=gf256 args="data, coef, out, data.shape[1]"
// products by tables of logarithms in global memory, which a first launch makes; a thread a column of bytes
#include <cuda_runtime.h>

__device__ int gf_log[256], gf_exp[510];

__global__ void gf_make() {
    int v = 1, t = threadIdx.x;
    for (int i = 0; i < t; ++i) v = v << 1 ^ (v & 128 ? 0x11d : 0);
    if (t == 255) return;
    gf_log[v] = t;
    gf_exp[t] = gf_exp[t + 255] = v;
}
__global__ void gf_logs(const unsigned char* data, const unsigned char* coef, unsigned char* out, int n) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= n) return;
    for (int j = 0; j < 4; ++j) {
        int p = 0;
        for (int i = 0; i < 8; ++i) {
            int d = data[(size_t)i * n + c], k = coef[j * 8 + i];
            if (d && k) p ^= gf_exp[gf_log[k] + gf_log[d]];
        }
        out[(size_t)j * n + c] = p;
    }
}
extern "C" void gf256(const unsigned char* data, const unsigned char* coef, unsigned char* out, int n, cudaStream_t stream) {
    gf_make<<<1, 256, 0, stream>>>();
    gf_logs<<<(n + 255) / 256, 256, 0, stream>>>(data, coef, out, n);
}
