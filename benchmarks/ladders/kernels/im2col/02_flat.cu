// kernelwright: task=../../tasks/im2col.py entry=im2col args="x, out, x.shape[0], x.shape[1], x.shape[2], x.shape[3]"
// a thread an output in its order, all coordinates by division
#include <cuda_runtime.h>

__global__ void ic_flat(const float* x, float* out, int n, int c, int h, int w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int px = i % w, py = i / w % h, k = i / (h * w) % (c * 9), b = i / (h * w) / (c * 9);
    int yy = py + k % 9 / 3 - 1, xx = px + k % 3 - 1;
    bool inside = yy >= 0 && yy < h && xx >= 0 && xx < w;
    out[i] = inside ? x[((size_t)(b * c + k / 9) * h + yy) * w + xx] : 0.f;
}
extern "C" void im2col(const float* x, float* out, int b, int c, int h, int w, cudaStream_t stream) {
    int n = b * c * 9 * h * w;
    ic_flat<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n, c, h, w);
}
