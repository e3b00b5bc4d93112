// kernelwright: task=../../tasks/nbody.py entry=nbody args="p, out, p.shape[0]"
// a thread a body, square root and division
#include <cuda_runtime.h>

__global__ void nb_plain(const float* p, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float ax = p[4 * i], ay = p[4 * i + 1], az = p[4 * i + 2], fx = 0.f, fy = 0.f, fz = 0.f;
    for (int j = 0; j < n; ++j) {
        float x = p[4 * j] - ax, y = p[4 * j + 1] - ay, z = p[4 * j + 2] - az, r2 = x * x + y * y + z * z + 0.01f;
        float c = 1.f / (r2 * sqrtf(r2));
        fx += x * c; fy += y * c; fz += z * c;
    }
    out[4 * i] = fx; out[4 * i + 1] = fy; out[4 * i + 2] = fz; out[4 * i + 3] = 0.f;
}
extern "C" void nbody(const float* p, float* out, int n, cudaStream_t stream) {
    nb_plain<<<(n + 255) / 256, 256, 0, stream>>>(p, out, n);
}
