// kernelwright: task=../../tasks/inverse4.py entry=inverse4 args="x, out, x.shape[0]"
// a thread a matrix, element by element
#include <cuda_runtime.h>

template <class T>
__device__ void invert(const T* m, T* o) {
    T a = m[0] * m[5] - m[1] * m[4], b = m[0] * m[6] - m[2] * m[4], c = m[0] * m[7] - m[3] * m[4];
    T d = m[1] * m[6] - m[2] * m[5], e = m[1] * m[7] - m[3] * m[5], f = m[2] * m[7] - m[3] * m[6];
    T g = m[8] * m[13] - m[9] * m[12], h = m[8] * m[14] - m[10] * m[12], i = m[8] * m[15] - m[11] * m[12];
    T j = m[9] * m[14] - m[10] * m[13], k = m[9] * m[15] - m[11] * m[13], l = m[10] * m[15] - m[11] * m[14];
    T r = T(1) / (a * l - b * k + c * j + d * i - e * h + f * g);
    o[0] = (m[5] * l - m[6] * k + m[7] * j) * r;
    o[1] = (m[2] * k - m[1] * l - m[3] * j) * r;
    o[2] = (m[13] * f - m[14] * e + m[15] * d) * r;
    o[3] = (m[10] * e - m[9] * f - m[11] * d) * r;
    o[4] = (m[6] * i - m[4] * l - m[7] * h) * r;
    o[5] = (m[0] * l - m[2] * i + m[3] * h) * r;
    o[6] = (m[14] * c - m[12] * f - m[15] * b) * r;
    o[7] = (m[8] * f - m[10] * c + m[11] * b) * r;
    o[8] = (m[4] * k - m[5] * i + m[7] * g) * r;
    o[9] = (m[1] * i - m[0] * k - m[3] * g) * r;
    o[10] = (m[12] * e - m[13] * c + m[15] * a) * r;
    o[11] = (m[9] * c - m[8] * e - m[11] * a) * r;
    o[12] = (m[5] * h - m[4] * j - m[6] * g) * r;
    o[13] = (m[0] * j - m[1] * h + m[2] * g) * r;
    o[14] = (m[13] * b - m[12] * d - m[14] * a) * r;
    o[15] = (m[8] * d - m[9] * b + m[10] * a) * r;
}
__global__ void iv_scalar(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float m[16], o[16];
#pragma unroll
    for (int j = 0; j < 16; ++j) m[j] = x[(size_t)i * 16 + j];
    invert(m, o);
#pragma unroll
    for (int j = 0; j < 16; ++j) out[(size_t)i * 16 + j] = o[j];
}
extern "C" void inverse4(const float* x, float* out, int n, cudaStream_t stream) {
    iv_scalar<<<(n + 127) / 128, 128, 0, stream>>>(x, out, n);
}
