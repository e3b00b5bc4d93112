// kernelwright: task=../../tasks/quantise_rows.py entry=quantise_rows args="x, out, x.shape[0], x.shape[1]"
// a block of 256 a row, bytes stored one by one, a division for each
#include <cuda_runtime.h>

__global__ void qr_bytes(const float* x, signed char* out, int d) {
    __shared__ float s[256];
    int t = threadIdx.x;
    const float* row = x + (size_t)blockIdx.x * d;
    float m = 0.f;
    for (int i = t; i < d; i += 256) m = fmaxf(m, fabsf(row[i]));
    s[t] = m;
    __syncthreads();
    for (int o = 128; o > 0; o /= 2) { if (t < o) s[t] = fmaxf(s[t], s[t + o]); __syncthreads(); }
    m = s[0];
    for (int i = t; i < d; i += 256) out[(size_t)blockIdx.x * d + i] = (signed char)rintf(row[i] / m * 127.f);
}
extern "C" void quantise_rows(const float* x, signed char* out, int rows, int d, cudaStream_t stream) {
    qr_bytes<<<rows, 256, 0, stream>>>(x, out, d);
}
