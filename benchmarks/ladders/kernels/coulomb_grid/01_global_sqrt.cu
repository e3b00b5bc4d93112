// kernelwright: task=../../tasks/coulomb_grid.py entry=coulomb args="atoms, base, out, atoms.shape[0], base.shape[0], base.shape[1]"
// a thread a point, atoms from global memory, a root and a division each
#include <cuda_runtime.h>

__global__ void cg_plain(const float* atoms, const float* base, float* out, int n, int H, int W) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    float s = 0.f;
    for (int i = 0; i < n; i++) {
        float dx = 0.5f * x - atoms[4 * i], dy = 0.5f * y - atoms[4 * i + 1], z = atoms[4 * i + 2];
        s += atoms[4 * i + 3] / sqrtf(dx * dx + dy * dy + z * z + 0.25f);
    }
    out[y * W + x] = base[y * W + x] + s;
}
extern "C" void coulomb(const float* atoms, const float* base, float* out, int n, int H, int W, cudaStream_t stream) {
    cg_plain<<<dim3((W + 15) / 16, (H + 15) / 16), dim3(16, 16), 0, stream>>>(atoms, base, out, n, H, W);
}
