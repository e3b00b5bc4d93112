// kernelwright: task=../../tasks/searchsorted.py entry=search args="table, q, out, table.shape[0], q.shape[0]"
// the first eleven steps among 2048 entries in shared memory, eight values a thread one after the other
#include <cuda_runtime.h>

__global__ void __launch_bounds__(512) ss_shared(const float* __restrict__ table, const float* __restrict__ q, int* __restrict__ out, int n) {
    __shared__ float top[2048];
    int part = n / 2048;
    for (int i = threadIdx.x; i < 2048; i += 512) top[i] = table[(i + 1) * part - 1];
    __syncthreads();
    for (int k = 0; k < 8; ++k) {
        int i = blockIdx.x * 4096 + k * 512 + threadIdx.x, at = 0;
        float v = q[i];
#pragma unroll
        for (int step = 1024; step; step /= 2) at += top[at + step - 1] < v ? step : 0;
        at *= part;
        for (int step = part / 2; step; step /= 2) at += table[at + step - 1] < v ? step : 0;
        out[i] = at + (table[at] < v);
    }
}
extern "C" void search(const float* table, const float* q, int* out, int n, int m, cudaStream_t stream) {
    ss_shared<<<m / 4096, 512, 0, stream>>>(table, q, out, n);
}
