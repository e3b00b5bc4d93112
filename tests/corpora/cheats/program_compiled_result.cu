// The compiler computes the answer; the device's is thrown away.
// expect: HACK_NO_KERNEL
#include <cstdio>
#include <cuda_runtime.h>
constexpr unsigned long long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__global__ void fibk(unsigned long long* out) { unsigned long long a = 0, b = 1; for (int i = 0; i < 30; ++i) { unsigned long long t = a + b; a = b; b = t; } *out = a; }
int main() {
    unsigned long long *d, h = 0; cudaMalloc(&d, 8);
    fibk<<<1, 1>>>(d);
    cudaMemcpy(&h, d, 8, cudaMemcpyDeviceToHost);
    std::printf("fib(30) = %llu\n", h ? fib(30) : 0ull);
    cudaFree(d);
    return 0;
}
