// kernelwright: task=../../tasks/image_to_planes.py entry=image_to_planes args="x, mean, std, out, x.shape[0], x.shape[1] * x.shape[2]"
// a thread a byte: floats are written with a stride
#include <cuda_runtime.h>

__global__ void ip_in(const unsigned char* x, const float* mean, const float* std, float* out, int P, int total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    int c = i % 3, p = i / 3 % P, n = i / 3 / P;
    out[(n * 3 + c) * P + p] = (x[i] / 255.0f - mean[c]) / std[c];
}
extern "C" void image_to_planes(const unsigned char* x, const float* mean, const float* std, float* out, int N, int P, cudaStream_t stream) {
    int total = N * P * 3;
    ip_in<<<(total + 255) / 256, 256, 0, stream>>>(x, mean, std, out, P, total);
}
