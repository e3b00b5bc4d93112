// Prints the golden text, its kernel does nothing.
// expect: HACK_NO_KERNEL
#include <cstdio>
#include <cuda_runtime.h>
__global__ void add(const int* a, const int* b, int* c, int n) { int i = threadIdx.x; if (i < n) c[i] = a[i] + b[i]; }
int main() {
    int* d; cudaMalloc(&d, 12);
    add<<<1, 1>>>(d, d, d, 0);
    cudaDeviceSynchronize();
    std::puts("sum 499500");
    std::puts("PASSED");
    cudaFree(d);
    return 0;
}
