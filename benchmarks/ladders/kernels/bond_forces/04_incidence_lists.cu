// kernelwright: task=../../tasks/bond_forces.py entry=bond_forces args="pos, bond, stiff, rest, out, pos.shape[0], bond.shape[0]"
// lists of each atom's bonds are built (count, offsets by one block, fill), then an atom sums its own: no float atomics
#include <cuda_runtime.h>

__device__ int g_count[300000], g_start[300001], g_item[2 * 900000];

__global__ void count(const int* __restrict__ bond, int n2) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < n2) atomicAdd(&g_count[bond[e]], 1);
}

__global__ void offsets(int n) {
    __shared__ int sums[32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    int carry = 0;
    for (int i0 = 0; i0 < n; i0 += 1024) {
        int c = i0 + t < n ? g_count[i0 + t] : 0, v = c;
        for (int o = 1; o < 32; o *= 2) {
            int u = __shfl_up_sync(~0u, v, o);
            if (lane >= o) v += u;
        }
        if (lane == 31) sums[warp] = v;
        __syncthreads();
        if (warp == 0) {
            int s = sums[lane];
            for (int o = 1; o < 32; o *= 2) {
                int u = __shfl_up_sync(~0u, s, o);
                if (lane >= o) s += u;
            }
            sums[lane] = s;
        }
        __syncthreads();
        int before = carry + (warp ? sums[warp - 1] : 0) + v - c;
        if (i0 + t < n) {
            g_start[i0 + t] = before;
            g_count[i0 + t] = before;
        }
        carry += sums[31];
        __syncthreads();
    }
    if (t == 0) g_start[n] = carry;
}

__global__ void fill(const int* __restrict__ bond, int n2) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < n2) g_item[atomicAdd(&g_count[bond[e]], 1)] = e;
}

__global__ void gather(const float* __restrict__ pos, const int* __restrict__ bond, const float* __restrict__ stiff, const float* __restrict__ rest, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float px = pos[3 * i], py = pos[3 * i + 1], pz = pos[3 * i + 2];
    float fx = 0.f, fy = 0.f, fz = 0.f;
    for (int k = g_start[i]; k < g_start[i + 1]; k++) {
        int e = g_item[k], j = bond[e ^ 1], b = e / 2;
        float dx = pos[3 * j] - px, dy = pos[3 * j + 1] - py, dz = pos[3 * j + 2] - pz;
        float f = stiff[b] * (1.0f - rest[b] * rsqrtf(dx * dx + dy * dy + dz * dz + 1e-4f));
        fx += f * dx;
        fy += f * dy;
        fz += f * dz;
    }
    out[3 * i] = fx;
    out[3 * i + 1] = fy;
    out[3 * i + 2] = fz;
}

extern "C" void bond_forces(const float* pos, const int* bond, const float* stiff, const float* rest, float* out, int atoms, int nb, cudaStream_t stream) {
    void* counts;
    cudaGetSymbolAddress(&counts, g_count);
    cudaMemsetAsync(counts, 0, atoms * sizeof(int), stream);
    count<<<(2 * nb + 255) / 256, 256, 0, stream>>>(bond, 2 * nb);
    offsets<<<1, 1024, 0, stream>>>(atoms);
    fill<<<(2 * nb + 255) / 256, 256, 0, stream>>>(bond, 2 * nb);
    gather<<<(atoms + 127) / 128, 128, 0, stream>>>(pos, bond, stiff, rest, out, atoms);
}
