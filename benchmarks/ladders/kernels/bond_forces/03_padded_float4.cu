// kernelwright: task=../../tasks/bond_forces.py entry=bond_forces args="pos, bond, stiff, rest, out, pos.shape[0], bond.shape[0]"
// positions padded to float4 first: one load an end; the forces too, taken apart by a third launch
#include <cuda_runtime.h>

__device__ float4 g_pos[300000], g_force[300000];

__global__ void pack(const float* __restrict__ pos, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    g_pos[i] = make_float4(pos[3 * i], pos[3 * i + 1], pos[3 * i + 2], 0.f);
    g_force[i] = make_float4(0.f, 0.f, 0.f, 0.f);
}

__global__ void bonds(const int2* __restrict__ bond, const float* __restrict__ stiff, const float* __restrict__ rest, int nb) {
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= nb) return;
    int2 ij = bond[b];
    float4 p = g_pos[ij.x], q = g_pos[ij.y];
    float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
    float f = stiff[b] * (1.0f - rest[b] * rsqrtf(dx * dx + dy * dy + dz * dz + 1e-4f));
    atomicAdd(&g_force[ij.x].x, f * dx);
    atomicAdd(&g_force[ij.x].y, f * dy);
    atomicAdd(&g_force[ij.x].z, f * dz);
    atomicAdd(&g_force[ij.y].x, -f * dx);
    atomicAdd(&g_force[ij.y].y, -f * dy);
    atomicAdd(&g_force[ij.y].z, -f * dz);
}

__global__ void unpack(float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 3 * n) out[i] = ((const float*)&g_force[i / 3])[i % 3];
}

extern "C" void bond_forces(const float* pos, const int* bond, const float* stiff, const float* rest, float* out, int atoms, int nb, cudaStream_t stream) {
    pack<<<(atoms + 255) / 256, 256, 0, stream>>>(pos, atoms);
    bonds<<<(nb + 255) / 256, 256, 0, stream>>>((const int2*)bond, stiff, rest, nb);
    unpack<<<(3 * atoms + 255) / 256, 256, 0, stream>>>(out, atoms);
}
