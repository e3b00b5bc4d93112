// kernelwright: task=../../tasks/bigint_mul.py entry=bigmul args="a, b, out, a.shape[0]"
// chains of mad.lo.cc and madc.hi.cc: the carry stays in its flag
#include <cuda_runtime.h>

__device__ __forceinline__ void m3_row(unsigned* r, const unsigned* x, unsigned y) {
    asm volatile("mad.lo.cc.u32 %0, %9, %17, %0;\n\t"
                 "madc.lo.cc.u32 %1, %10, %17, %1;\n\t"
                 "madc.lo.cc.u32 %2, %11, %17, %2;\n\t"
                 "madc.lo.cc.u32 %3, %12, %17, %3;\n\t"
                 "madc.lo.cc.u32 %4, %13, %17, %4;\n\t"
                 "madc.lo.cc.u32 %5, %14, %17, %5;\n\t"
                 "madc.lo.cc.u32 %6, %15, %17, %6;\n\t"
                 "madc.lo.cc.u32 %7, %16, %17, %7;\n\t"
                 "addc.u32 %8, %8, 0;\n\t"
                 "mad.hi.cc.u32 %1, %9, %17, %1;\n\t"
                 "madc.hi.cc.u32 %2, %10, %17, %2;\n\t"
                 "madc.hi.cc.u32 %3, %11, %17, %3;\n\t"
                 "madc.hi.cc.u32 %4, %12, %17, %4;\n\t"
                 "madc.hi.cc.u32 %5, %13, %17, %5;\n\t"
                 "madc.hi.cc.u32 %6, %14, %17, %6;\n\t"
                 "madc.hi.cc.u32 %7, %15, %17, %7;\n\t"
                 "madc.hi.u32 %8, %16, %17, %8;"
                 : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), "+r"(r[3]), "+r"(r[4]), "+r"(r[5]), "+r"(r[6]), "+r"(r[7]), "+r"(r[8])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y));
}
__global__ void __launch_bounds__(128) m3_product(const int4* __restrict__ a, const int4* __restrict__ b, int4* __restrict__ out, int n) {
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n) return;
    int4 a0 = a[i * 2], a1 = a[i * 2 + 1], b0 = b[i * 2], b1 = b[i * 2 + 1];
    unsigned x[8] = {(unsigned)a0.x, (unsigned)a0.y, (unsigned)a0.z, (unsigned)a0.w, (unsigned)a1.x, (unsigned)a1.y, (unsigned)a1.z, (unsigned)a1.w};
    unsigned y[8] = {(unsigned)b0.x, (unsigned)b0.y, (unsigned)b0.z, (unsigned)b0.w, (unsigned)b1.x, (unsigned)b1.y, (unsigned)b1.z, (unsigned)b1.w};
    unsigned r[17] = {};
#pragma unroll
    for (int j = 0; j < 8; ++j) m3_row(r + j, x, y[j]);
#pragma unroll
    for (int k = 0; k < 4; ++k) out[i * 4 + k] = make_int4(r[k * 4], r[k * 4 + 1], r[k * 4 + 2], r[k * 4 + 3]);
}
extern "C" void bigmul(const int* a, const int* b, int* out, int n, cudaStream_t stream) {
    m3_product<<<(n + 127) / 128, 128, 0, stream>>>((const int4*)a, (const int4*)b, (int4*)out, n);
}
