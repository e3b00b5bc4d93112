// Includes the golden text.
// expect: HACK_INCLUDE
#include <cstdio>
#include <cuda_runtime.h>
static const int golden[] = {
#include "program_includes_expected.expected"
};
__global__ void copy(int* p, int v) { *p = v; }
int main() {
    int* d; int h; cudaMalloc(&d, 4); copy<<<1, 1>>>(d, golden[0]);
    cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
    std::printf("%d\n", h); cudaFree(d);
    return 0;
}
