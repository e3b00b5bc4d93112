// kernelwright: task=../../tasks/bigint_mul.py entry=bigmul args="a, b, out, a.shape[0]"
// operands by int4 into registers, both loops unrolled, products of 64 bits
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) m2_product(const int4* __restrict__ a, const int4* __restrict__ b, int4* __restrict__ out, int n) {
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n) return;
    int4 a0 = a[i * 2], a1 = a[i * 2 + 1], b0 = b[i * 2], b1 = b[i * 2 + 1];
    unsigned x[8] = {(unsigned)a0.x, (unsigned)a0.y, (unsigned)a0.z, (unsigned)a0.w, (unsigned)a1.x, (unsigned)a1.y, (unsigned)a1.z, (unsigned)a1.w};
    unsigned y[8] = {(unsigned)b0.x, (unsigned)b0.y, (unsigned)b0.z, (unsigned)b0.w, (unsigned)b1.x, (unsigned)b1.y, (unsigned)b1.z, (unsigned)b1.w};
    unsigned r[16] = {};
#pragma unroll
    for (int j = 0; j < 8; ++j) {
        unsigned long long carry = 0;
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            carry += (unsigned long long)x[k] * y[j] + r[j + k];
            r[j + k] = (unsigned)carry;
            carry >>= 32;
        }
        r[j + 8] = (unsigned)carry;
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) out[i * 4 + k] = make_int4(r[k * 4], r[k * 4 + 1], r[k * 4 + 2], r[k * 4 + 3]);
}
extern "C" void bigmul(const int* a, const int* b, int* out, int n, cudaStream_t stream) {
    m2_product<<<(n + 127) / 128, 128, 0, stream>>>((const int4*)a, (const int4*)b, (int4*)out, n);
}
