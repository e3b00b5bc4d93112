// kernelwright: task=../../tasks/column_sum.py entry=column_sum args="x, out, x.shape[0], x.shape[1]"
// partial sums of 128 rows by tiles of 32 columns, added up by a second launch
#include <cuda_runtime.h>

__global__ void cs_part(const float* x, float* part, int cols) {
    __shared__ float s[8][33];
    int c = blockIdx.x * 32 + threadIdx.x;
    float v = 0.f;
    for (int r = threadIdx.y; r < 128; r += 8) v += x[(size_t)(blockIdx.y * 128 + r) * cols + c];
    s[threadIdx.y][threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.y) return;
    for (int j = 1; j < 8; ++j) v += s[j][threadIdx.x];
    part[(size_t)blockIdx.y * cols + c] = v;
}
__global__ void cs_total(const float* part, float* out, int parts, int cols) {
    int c = blockIdx.x * 32 + threadIdx.x;
    float v = 0.f;
    for (int p = 0; p < parts; ++p) v += part[(size_t)p * cols + c];
    out[c] = v;
}
extern "C" void column_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    static float* part = nullptr;
    static size_t room = 0;
    size_t need = (size_t)(rows / 128) * cols;
    if (room < need) { if (part) cudaFree(part); cudaMalloc(&part, need * 4); room = need; }
    cs_part<<<dim3(cols / 32, rows / 128), dim3(32, 8), 0, stream>>>(x, part, cols);
    cs_total<<<cols / 32, 32, 0, stream>>>(part, out, rows / 128, cols);
}
