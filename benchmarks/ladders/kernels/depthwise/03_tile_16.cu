// kernelwright: task=../../tasks/depthwise.py entry=depthwise args="x, w, out, x.shape[0], x.shape[1], x.shape[2], x.shape[3]"
// tiles of 16 x 16 with their border in shared memory
#include <cuda_runtime.h>

__global__ void dw_tile(const float* x, const float* w, float* out, int c, int h, int wd) {
    __shared__ float s[20][20], f[25];
    int plane = blockIdx.z, x0 = blockIdx.x * 16 - 2, y0 = blockIdx.y * 16 - 2, t = threadIdx.y * 16 + threadIdx.x;
    const float* p = x + (size_t)plane * h * wd;
    if (t < 25) f[t] = w[plane % c * 25 + t];
    for (int i = t; i < 400; i += 256) {
        int yy = y0 + i / 20, xx = x0 + i % 20;
        s[i / 20][i % 20] = yy >= 0 && yy < h && xx >= 0 && xx < wd ? p[yy * wd + xx] : 0.f;
    }
    __syncthreads();
    float sum = 0.f;
#pragma unroll
    for (int u = 0; u < 5; ++u)
#pragma unroll
        for (int v = 0; v < 5; ++v) sum += s[threadIdx.y + u][threadIdx.x + v] * f[u * 5 + v];
    int px = x0 + 2 + threadIdx.x, py = y0 + 2 + threadIdx.y;
    if (px < wd && py < h) out[((size_t)plane * h + py) * wd + px] = sum;
}
extern "C" void depthwise(const float* x, const float* w, float* out, int b, int c, int h, int wd, cudaStream_t stream) {
    dw_tile<<<dim3((wd + 15) / 16, (h + 15) / 16, b * c), dim3(16, 16), 0, stream>>>(x, w, out, c, h, wd);
}
