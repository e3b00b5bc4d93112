// kernelwright: task=../../tasks/im2col.py entry=im2col args="x, out, x.shape[0], x.shape[1], x.shape[2], x.shape[3]"
// neighbouring threads write neighbouring rows
#include <cuda_runtime.h>

__global__ void ic_patch(const float* x, float* out, int n, int c, int h, int w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int k = i % (c * 9), p = i / (c * 9) % (h * w), b = i / (c * 9) / (h * w);
    int ch = k / 9, yy = p / w + k % 9 / 3 - 1, xx = p % w + k % 3 - 1;
    bool inside = yy >= 0 && yy < h && xx >= 0 && xx < w;
    out[((size_t)b * c * 9 + k) * h * w + p] = inside ? x[((size_t)(b * c + ch) * h + yy) * w + xx] : 0.f;
}
extern "C" void im2col(const float* x, float* out, int b, int c, int h, int w, cudaStream_t stream) {
    int n = b * c * 9 * h * w;
    ic_patch<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n, c, h, w);
}
