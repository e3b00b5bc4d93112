// kernelwright: task=../../tasks/chamfer_min.py entry=chamfer args="a, b, out, a.shape[0], a.shape[1], b.shape[1]"
#include <cuda_runtime.h>
#include <float.h>

// brute force, all from global memory
__global__ void nn_dist(const float* a, const float* b, float* out, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int batch = blockIdx.y;
    if (i >= n) return;
    const float* p = a + (batch * n + i) * 3;
    const float* q = b + batch * m * 3;
    float best = FLT_MAX;
    for (int j = 0; j < m; j++) {
        float dx = p[0] - q[j * 3], dy = p[1] - q[j * 3 + 1], dz = p[2] - q[j * 3 + 2];
        float d = dx * dx + dy * dy + dz * dz;
        if (d < best) best = d;
    }
    out[batch * n + i] = best;
}

extern "C" void chamfer(const float* a, const float* b, float* out, int batches, int n, int m, cudaStream_t stream) {
    nn_dist<<<dim3((n + 255) / 256, batches), 256, 0, stream>>>(a, b, out, n, m);
}
