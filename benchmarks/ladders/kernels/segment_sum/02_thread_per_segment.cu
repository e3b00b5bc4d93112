// kernelwright: task=../../tasks/segment_sum.py entry=segment_sum args="x, start, out, out.shape[0]"
// a thread a segment
#include <cuda_runtime.h>

__global__ void ss_thread(const float* x, const int* start, float* out, int n) {
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= n) return;
    float s = 0.f;
    for (int i = start[g], end = start[g + 1]; i < end; ++i) s += x[i];
    out[g] = s;
}
extern "C" void segment_sum(const float* x, const int* start, float* out, int n, cudaStream_t stream) {
    ss_thread<<<(n + 127) / 128, 128, 0, stream>>>(x, start, out, n);
}
