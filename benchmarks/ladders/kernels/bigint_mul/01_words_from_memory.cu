// kernelwright: task=../../tasks/bigint_mul.py entry=bigmul args="a, b, out, a.shape[0]"
// the schoolbook's two loops, operands and result in global memory
#include <cuda_runtime.h>

__global__ void m1_product(const int* a, const int* b, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned* r = (unsigned*)out + (size_t)i * 16;
    for (int k = 0; k < 16; ++k) r[k] = 0;
    for (int j = 0; j < 8; ++j) {
        unsigned long long carry = 0;
        for (int k = 0; k < 8; ++k) {
            carry += (unsigned long long)(unsigned)a[i * 8 + k] * (unsigned)b[i * 8 + j] + r[j + k];
            r[j + k] = (unsigned)carry;
            carry >>= 32;
        }
        r[j + 8] = (unsigned)carry;
    }
}
extern "C" void bigmul(const int* a, const int* b, int* out, int n, cudaStream_t stream) {
    m1_product<<<(n + 127) / 128, 128, 0, stream>>>(a, b, out, n);
}
