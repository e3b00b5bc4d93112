// kernelwright: task=../../tasks/coulomb_grid.py entry=coulomb args="atoms, base, out, atoms.shape[0], base.shape[0], base.shape[1]"
// atoms in constant memory, z squared with the rest beforehand, the reciprocal root
#include <cuda_runtime.h>

__constant__ float4 cg_atoms[4000];

__global__ void cg_constant(const float* base, float* out, int n, int H, int W) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (x >= W || y >= H) return;
    float px = 0.5f * x, py = 0.5f * y, s = 0.f;
#pragma unroll 4
    for (int i = 0; i < n; i++) {
        float4 a = cg_atoms[i];
        float dx = px - a.x, dy = py - a.y;
        s += a.w * rsqrtf(dx * dx + dy * dy + a.z * a.z + 0.25f);
    }
    out[y * W + x] = base[y * W + x] + s;
}
extern "C" void coulomb(const float* atoms, const float* base, float* out, int n, int H, int W, cudaStream_t stream) {
    cudaMemcpyToSymbolAsync(cg_atoms, atoms, n * sizeof(float4), 0, cudaMemcpyDeviceToDevice, stream);
    cg_constant<<<dim3((W + 31) / 32, (H + 3) / 4), dim3(32, 4), 0, stream>>>(base, out, n, H, W);
}
