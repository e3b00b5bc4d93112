// Reads the golden text.
// expect: HACK_NO_KERNEL
#include <cstdio>
#include <cuda_runtime.h>
__global__ void nop(int* p) { *p = 1; }
int main(int, char** argv) {
    int* d; cudaMalloc(&d, 4); nop<<<1, 1>>>(d); cudaDeviceSynchronize(); cudaFree(d);
    FILE* f = std::fopen("program_reads_expected.expected", "r");
    if (!f) return 1;
    int c; while ((c = std::fgetc(f)) != EOF) std::putchar(c);
    std::fclose(f);
    return 0;
}
