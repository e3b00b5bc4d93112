// kernelwright: task=../../tasks/lbm_d2q9.py entry=lbm args="f, out, f.shape[1], f.shape[2]"
// a launch that streams every field into a copy, a second one that relaxes
#include <cuda_runtime.h>

__device__ float lb_moved[9 * 1024 * 1024];
__constant__ int lb_ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, lb_ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float lb_w[9] = {4.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};

__global__ void lb_stream(const float* f, int h, int w) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, k = blockIdx.z;
    if (x >= w) return;
    int fx = (x - lb_ex[k] + w) % w, fy = (y - lb_ey[k] + h) % h;
    lb_moved[(k * h + y) * w + x] = f[(k * h + fy) * w + fx];
}
__global__ void lb_collide(float* out, int h, int w) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w) return;
    float g[9], rho = 0.0f, ux = 0.0f, uy = 0.0f;
    for (int k = 0; k < 9; ++k) {
        g[k] = lb_moved[(k * h + y) * w + x];
        rho += g[k];
        ux += lb_ex[k] * g[k];
        uy += lb_ey[k] * g[k];
    }
    ux /= rho;
    uy /= rho;
    float square = 1.5f * (ux * ux + uy * uy);
    for (int k = 0; k < 9; ++k) {
        float eu = 3.0f * (lb_ex[k] * ux + lb_ey[k] * uy);
        out[(k * h + y) * w + x] = g[k] - 1.2f * (g[k] - lb_w[k] * rho * (1.0f + eu + 0.5f * eu * eu - square));
    }
}
extern "C" void lbm(const float* f, float* out, int h, int w, cudaStream_t stream) {
    lb_stream<<<dim3((w + 255) / 256, h, 9), 256, 0, stream>>>(f, h, w);
    lb_collide<<<dim3((w + 255) / 256, h), 256, 0, stream>>>(out, h, w);
}
