// kernelwright: task=../../tasks/row_moments.py entry=row_moments args="x, out, x.shape[0], x.shape[1]"
// a thread a row, which it reads twice, 4 KiB from its neighbours
#include <cuda_runtime.h>

__global__ void rm_thread(const float* x, float* out, int rows, int d) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    const float* p = x + (size_t)r * d;
    float sum = 0.f, m2 = 0.f, m3 = 0.f, m4 = 0.f;
    for (int i = 0; i < d; ++i) sum += p[i];
    float mean = sum / d;
    for (int i = 0; i < d; ++i) {
        float v = p[i] - mean;
        m2 += v * v;
        m3 += v * v * v;
        m4 += v * v * v * v;
    }
    m2 /= d;
    out[r * 4] = mean;
    out[r * 4 + 1] = m2;
    out[r * 4 + 2] = m3 / d / (m2 * sqrtf(m2));
    out[r * 4 + 3] = m4 / d / (m2 * m2);
}
extern "C" void row_moments(const float* x, float* out, int rows, int d, cudaStream_t stream) {
    rm_thread<<<(rows + 63) / 64, 64, 0, stream>>>(x, out, rows, d);
}
