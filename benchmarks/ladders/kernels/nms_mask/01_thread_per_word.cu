// kernelwright: task=../../tasks/nms_mask.py entry=nms_mask args="boxes, out, boxes.shape[0]"
// a thread a word, boxes as they lie in memory
#include <cuda_runtime.h>

__global__ void nm_word(const float* boxes, int* out, int n) {
    int w = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y, words = n / 32;
    if (w >= words) return;
    float x0 = boxes[i * 4], y0 = boxes[i * 4 + 1], x1 = boxes[i * 4 + 2], y1 = boxes[i * 4 + 3];
    float area = (x1 - x0) * (y1 - y0);
    unsigned bits = 0;
    for (int b = 0; b < 32; ++b) {
        const float* o = boxes + (w * 32 + b) * 4;
        float dx = fminf(x1, o[2]) - fmaxf(x0, o[0]), dy = fminf(y1, o[3]) - fmaxf(y0, o[1]);
        float both = fmaxf(dx, 0.f) * fmaxf(dy, 0.f), other = (o[2] - o[0]) * (o[3] - o[1]);
        if (both / (area + other - both) > 0.5f) bits |= 1u << b;
    }
    out[(size_t)i * words + w] = bits;
}
extern "C" void nms_mask(const float* boxes, int* out, int n, cudaStream_t stream) {
    nm_word<<<dim3((n / 32 + 127) / 128, n), 128, 0, stream>>>(boxes, out, n);
}
