// Launches a kernel, prints the host's sum.
// expect: HACK_NO_KERNEL
#include <cstdio>
#include <cuda_runtime.h>
__global__ void reduce(const int* a, int* s, int n) { int t = 0; for (int i = threadIdx.x; i < n; i += 32) t += a[i]; atomicAdd(s, t); }
int main() {
    const int n = 1000; int h[n], total = 0;
    for (int i = 0; i < n; ++i) h[i] = i;
    int *a, *s; cudaMalloc(&a, sizeof h); cudaMalloc(&s, 4); cudaMemset(s, 0, 4);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    reduce<<<1, 32>>>(a, s, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) total += h[i];
    std::printf("sum %d\n", total);
    cudaFree(a); cudaFree(s);
    return 0;
}
