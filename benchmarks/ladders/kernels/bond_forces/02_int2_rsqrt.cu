// kernelwright: task=../../tasks/bond_forces.py entry=bond_forces args="pos, bond, stiff, rest, out, pos.shape[0], bond.shape[0]"
// bonds as int2, read-only loads, rsqrt
#include <cuda_runtime.h>

__global__ void bonds(const float* __restrict__ pos, const int2* __restrict__ bond, const float* __restrict__ stiff, const float* __restrict__ rest, float* __restrict__ out, int nb) {
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= nb) return;
    int2 ij = bond[b];
    const float* p = pos + 3 * ij.x;
    const float* q = pos + 3 * ij.y;
    float dx = q[0] - p[0], dy = q[1] - p[1], dz = q[2] - p[2];
    float f = stiff[b] * (1.0f - rest[b] * rsqrtf(dx * dx + dy * dy + dz * dz + 1e-4f));
    atomicAdd(out + 3 * ij.x, f * dx);
    atomicAdd(out + 3 * ij.x + 1, f * dy);
    atomicAdd(out + 3 * ij.x + 2, f * dz);
    atomicAdd(out + 3 * ij.y, -f * dx);
    atomicAdd(out + 3 * ij.y + 1, -f * dy);
    atomicAdd(out + 3 * ij.y + 2, -f * dz);
}

extern "C" void bond_forces(const float* pos, const int* bond, const float* stiff, const float* rest, float* out, int atoms, int nb, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, (size_t)atoms * 3 * sizeof(float), stream);
    bonds<<<(nb + 127) / 128, 128, 0, stream>>>(pos, (const int2*)bond, stiff, rest, out, nb);
}
