// kernelwright: task=../../tasks/bond_forces.py entry=bond_forces args="pos, bond, stiff, rest, out, pos.shape[0], bond.shape[0]"
// one thread per bond, six atomics
#include <cuda_runtime.h>

__global__ void bonds(const float* pos, const int* bond, const float* stiff, const float* rest, float* out, int nb) {
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= nb) return;
    int i = bond[2 * b], j = bond[2 * b + 1];
    float dx = pos[3 * j] - pos[3 * i];
    float dy = pos[3 * j + 1] - pos[3 * i + 1];
    float dz = pos[3 * j + 2] - pos[3 * i + 2];
    float r = sqrtf(dx * dx + dy * dy + dz * dz + 1e-4f);
    float f = stiff[b] * (1.0f - rest[b] / r);
    atomicAdd(&out[3 * i], f * dx);
    atomicAdd(&out[3 * i + 1], f * dy);
    atomicAdd(&out[3 * i + 2], f * dz);
    atomicAdd(&out[3 * j], -f * dx);
    atomicAdd(&out[3 * j + 1], -f * dy);
    atomicAdd(&out[3 * j + 2], -f * dz);
}

extern "C" void bond_forces(const float* pos, const int* bond, const float* stiff, const float* rest, float* out, int atoms, int nb, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, (size_t)atoms * 3 * sizeof(float), stream);
    bonds<<<(nb + 255) / 256, 256, 0, stream>>>(pos, bond, stiff, rest, out, nb);
}
