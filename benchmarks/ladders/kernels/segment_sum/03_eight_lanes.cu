// kernelwright: task=../../tasks/segment_sum.py entry=segment_sum args="x, start, out, out.shape[0]"
// eight lanes a segment
#include <cuda_runtime.h>

__global__ void ss_eight(const float* x, const int* start, float* out, int n) {
    int g = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
    float s = 0.f;
    if (g < n)
        for (int i = start[g] + lane, end = start[g + 1]; i < end; i += 8) s += x[i];
    for (int o = 4; o; o /= 2) s += __shfl_down_sync(~0u, s, o, 8);
    if (g < n && lane == 0) out[g] = s;
}
extern "C" void segment_sum(const float* x, const int* start, float* out, int n, cudaStream_t stream) {
    ss_eight<<<(n * 8 + 255) / 256, 256, 0, stream>>>(x, start, out, n);
}
