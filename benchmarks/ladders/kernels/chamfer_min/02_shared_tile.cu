// kernelwright: task=../../tasks/chamfer_min.py entry=chamfer args="a, b, out, a.shape[0], a.shape[1], b.shape[1]"
#include <cuda_runtime.h>
#include <float.h>

// tiles of 256 points in shared memory as three arrays
__global__ void nn_dist(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out, int n, int m) {
    __shared__ float sx[256], sy[256], sz[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    int batch = blockIdx.y;
    float px = 0, py = 0, pz = 0;
    if (i < n) {
        const float* p = a + (batch * n + i) * 3;
        px = p[0]; py = p[1]; pz = p[2];
    }
    const float* q = b + batch * m * 3;
    float best = FLT_MAX;
    for (int j0 = 0; j0 < m; j0 += 256) {
        int j = j0 + threadIdx.x;
        if (j < m) {
            sx[threadIdx.x] = q[j * 3];
            sy[threadIdx.x] = q[j * 3 + 1];
            sz[threadIdx.x] = q[j * 3 + 2];
        }
        __syncthreads();
        int len = min(256, m - j0);
        for (int k = 0; k < len; k++) {
            float dx = px - sx[k], dy = py - sy[k], dz = pz - sz[k];
            best = fminf(best, dx * dx + dy * dy + dz * dz);
        }
        __syncthreads();
    }
    if (i < n) out[batch * n + i] = best;
}

extern "C" void chamfer(const float* a, const float* b, float* out, int batches, int n, int m, cudaStream_t stream) {
    nn_dist<<<dim3((n + 255) / 256, batches), 256, 0, stream>>>(a, b, out, n, m);
}
