// kernelwright: task=../../tasks/image_to_planes.py entry=image_to_planes args="x, mean, std, out, x.shape[0], x.shape[1] * x.shape[2]"
// a thread a pixel, scale and shift once, one multiply-add a colour
#include <cuda_runtime.h>

__global__ void ip_pixel(const unsigned char* __restrict__ x, const float* __restrict__ mean, const float* __restrict__ std, float* __restrict__ out, int P) {
    int p = blockIdx.x * blockDim.x + threadIdx.x, n = blockIdx.y;
    if (p >= P) return;
    const unsigned char* b = x + ((size_t)n * P + p) * 3;
    float* o = out + (size_t)n * 3 * P + p;
#pragma unroll
    for (int c = 0; c < 3; c++) {
        float s = 1.f / std[c];
        o[c * P] = b[c] * (s / 255.f) - mean[c] * s;
    }
}
extern "C" void image_to_planes(const unsigned char* x, const float* mean, const float* std, float* out, int N, int P, cudaStream_t stream) {
    ip_pixel<<<dim3((P + 255) / 256, N), 256, 0, stream>>>(x, mean, std, out, P);
}
