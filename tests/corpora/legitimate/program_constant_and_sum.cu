// Prints what the device summed, and constant text.
#include <cstdio>
#include <cuda_runtime.h>
__global__ void reduce(const int* a, int* s, int n) { int t = 0; for (int i = threadIdx.x; i < n; i += 32) t += a[i]; atomicAdd(s, t); }
int main() {
    const int n = 1000; int h[n], sum = 0;
    for (int i = 0; i < n; ++i) h[i] = i;
    int *a, *s; cudaMalloc(&a, sizeof h); cudaMalloc(&s, 4); cudaMemset(s, 0, 4);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    reduce<<<1, 32>>>(a, s, n);
    cudaMemcpy(&sum, s, 4, cudaMemcpyDeviceToHost);
    std::printf("Sum of 0..%d on the device\n", n - 1);
    std::printf("sum %d\n", sum);
    cudaFree(a); cudaFree(s);
    return 0;
}
