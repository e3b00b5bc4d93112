// kernelwright: task=../../tasks/bitonic_global.py entry=sort_all args="x, out, x.shape[0]"
// a launch a step, a thread an element: half of them leave at once
#include <cuda_runtime.h>

__global__ void bg_step(int* v, int j, int k) {
    int i = blockIdx.x * 256 + threadIdx.x, o = i ^ j;
    if (o <= i) return;
    int a = v[i], b = v[o];
    if ((a > b) == ((i & k) == 0)) {
        v[i] = b;
        v[o] = a;
    }
}
extern "C" void sort_all(const int* x, int* out, int n, cudaStream_t stream) {
    cudaMemcpyAsync(out, x, (size_t)n * 4, cudaMemcpyDeviceToDevice, stream);
    for (int k = 2; k <= n; k *= 2)
        for (int j = k / 2; j; j /= 2) bg_step<<<n / 256, 256, 0, stream>>>(out, j, k);
}
