// kernelwright: task=../../tasks/segment_sum.py entry=segment_sum args="x, start, out, out.shape[0]"
// 128 segments a block, their values brought to shared memory side by side
#include <cuda_runtime.h>

__global__ void ss_staged(const float* x, const int* start, float* out, int n) {
    __shared__ float s[128 * 36];
    int g = blockIdx.x * 128 + threadIdx.x, first = start[blockIdx.x * 128], last = start[min(n, blockIdx.x * 128 + 128)];
    for (int i = first + threadIdx.x; i < last; i += 128) s[i - first] = x[i];
    __syncthreads();
    if (g >= n) return;
    float v = 0.f;
    for (int i = start[g] - first, end = start[g + 1] - first; i < end; ++i) v += s[i];
    out[g] = v;
}
extern "C" void segment_sum(const float* x, const int* start, float* out, int n, cudaStream_t stream) {
    ss_staged<<<(n + 127) / 128, 128, 0, stream>>>(x, start, out, n);
}
