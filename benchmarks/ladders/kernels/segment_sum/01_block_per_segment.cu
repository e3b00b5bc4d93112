// kernelwright: task=../../tasks/segment_sum.py entry=segment_sum args="x, start, out, out.shape[0]"
// a block of a warp a segment
#include <cuda_runtime.h>

__global__ void ss_block(const float* x, const int* start, float* out) {
    float s = 0.f;
    for (int i = start[blockIdx.x] + threadIdx.x; i < start[blockIdx.x + 1]; i += 32) s += x[i];
    for (int o = 16; o; o /= 2) s += __shfl_down_sync(~0u, s, o);
    if (threadIdx.x == 0) out[blockIdx.x] = s;
}
extern "C" void segment_sum(const float* x, const int* start, float* out, int n, cudaStream_t stream) {
    ss_block<<<n, 32, 0, stream>>>(x, start, out);
}
