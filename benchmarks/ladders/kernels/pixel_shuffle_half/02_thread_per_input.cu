// kernelwright: task=../../tasks/pixel_shuffle_half.py entry=pixel_shuffle args="x, out, x.shape[0], x.shape[1], x.shape[2], x.shape[3]"
// a thread an input: reads in a row, writes every other half
#include <cuda_fp16.h>

__global__ void ps_scatter(const __half* x, __half* out, int h, int w) {
    int z = blockIdx.x * 128 + threadIdx.x, y = blockIdx.y, p = blockIdx.z, k = p % 4;
    if (z < w) out[((size_t)(p / 4) * 2 * h + 2 * y + k / 2) * 2 * w + 2 * z + k % 2] = x[((size_t)p * h + y) * w + z];
}
extern "C" void pixel_shuffle(const __half* x, __half* out, int n, int c, int h, int w, cudaStream_t stream) {
    ps_scatter<<<dim3((w + 127) / 128, h, n * c), 128, 0, stream>>>(x, out, h, w);
}
