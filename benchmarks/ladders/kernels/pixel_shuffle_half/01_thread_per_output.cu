// kernelwright: task=../../tasks/pixel_shuffle_half.py entry=pixel_shuffle args="x, out, x.shape[0], x.shape[1], x.shape[2], x.shape[3]"
// a thread an output, its source by divisions
#include <cuda_fp16.h>

__global__ void ps_gather(const __half* x, __half* out, int c, int h, int w, int total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    int ow = 2 * w, oh = 2 * h, z = i % ow, y = i / ow % oh, p = i / ow / oh;
    out[i] = x[((p * 4 + y % 2 * 2 + z % 2) * h + y / 2) * w + z / 2];
}
extern "C" void pixel_shuffle(const __half* x, __half* out, int n, int c, int h, int w, cudaStream_t stream) {
    int total = n * c * h * w;
    ps_gather<<<(total + 255) / 256, 256, 0, stream>>>(x, out, c, h, w, total);
}
