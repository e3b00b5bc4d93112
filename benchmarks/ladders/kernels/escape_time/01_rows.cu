// kernelwright: task=../../tasks/escape_time.py entry=escape_time args="re, im, out, re.shape[0], im.shape[0]"
// a thread a point, warps along the rows
#include <cuda_runtime.h>

__global__ void et_rows(const float* re, const float* im, int* out, int w, int h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= w * h) return;
    float cr = re[i % w], ci = im[i / w], a = 0.f, b = 0.f;
    int count = 0;
    while (count < 200 && a * a + b * b <= 4.f) {
        float t = a * a - b * b + cr;
        b = 2 * a * b + ci;
        a = t;
        ++count;
    }
    out[i] = count;
}
extern "C" void escape_time(const float* re, const float* im, int* out, int w, int h, cudaStream_t stream) {
    et_rows<<<(w * h + 255) / 256, 256, 0, stream>>>(re, im, out, w, h);
}
