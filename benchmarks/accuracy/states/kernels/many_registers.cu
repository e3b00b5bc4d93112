// kernelwright: task=../task.py entry=many_registers args="x, out, x.shape[0]"
// 160 values alive in each thread while it waits for a chain of loads
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) st_registers(const float* x, float* out, int n) {
    int part = min(n, 65536), i = blockIdx.x * 128 + threadIdx.x, at = i % part;
    if (i >= n) return;
    float kept[160], sum = 0.f;
#pragma unroll
    for (int k = 0; k < 160; ++k) kept[k] = x[(at + k * 32) & 8191];
    for (int k = 0; k < 48; ++k) {
        at += 4096 + (x[at] > 1e30f);
        at = at < part ? at : at - part;
#pragma unroll
        for (int j = 0; j < 160; j += 16) kept[j] = kept[j] * 0.5f + at;
    }
#pragma unroll
    for (int k = 0; k < 160; ++k) sum = sum * 0.5f + kept[k];
    out[i] = sum > 1e30f ? 0.f : x[i];
}
extern "C" void many_registers(const float* x, float* out, int n, cudaStream_t stream) {
    st_registers<<<(n + 127) / 128, 128, 0, stream>>>(x, out, n);
}
