// kernelwright: task=../../tasks/ntt_rows.py entry=ntt args="x, w, out, x.shape[0]"
// a launch a stage, a thread a butterfly, remainders of 64 bits
#include <cuda_runtime.h>

__global__ void nt_reverse(const int* x, int* out) {
    int i = blockIdx.x * 256 + threadIdx.x;
    out[i] = x[(i & ~1023) | (__brev(i & 1023) >> 22)];
}
__global__ void nt_stage(int* a, const int* w, int m) {
    int i = blockIdx.x * 256 + threadIdx.x, j = i & (m - 1), at = 2 * (i - j) + j;
    long long u = a[at], t = (long long)a[at + m] * w[j * (512 / m)] % 998244353;
    a[at] = (int)((u + t) % 998244353);
    a[at + m] = (int)((u - t + 998244353) % 998244353);
}
extern "C" void ntt(const int* x, const int* w, int* out, int rows, cudaStream_t stream) {
    nt_reverse<<<rows * 4, 256, 0, stream>>>(x, out);
    for (int m = 1; m < 1024; m *= 2) nt_stage<<<rows * 2, 256, 0, stream>>>(out, w, m);
}
