// kernelwright: task=../../tasks/lj_neighbours.py entry=lj args="p, near, out, p.shape[0]"
// a thread an atom walks its list: lanes read lists 256 bytes apart
#include <cuda_runtime.h>

__global__ void j1_atom(const double* p, const int* near, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = p[i * 3], y = p[i * 3 + 1], z = p[i * 3 + 2], fx = 0, fy = 0, fz = 0;
    for (int k = 0; k < 64; ++k) {
        int j = near[i * 64 + k];
        double dx = x - p[j * 3], dy = y - p[j * 3 + 1], dz = z - p[j * 3 + 2];
        double s = 1.0 / (dx * dx + dy * dy + dz * dz + 0.5), s3 = s * s * s, f = (48 * s3 - 24) * s3 * s;
        fx += f * dx;
        fy += f * dy;
        fz += f * dz;
    }
    out[i * 3] = fx;
    out[i * 3 + 1] = fy;
    out[i * 3 + 2] = fz;
}
extern "C" void lj(const double* p, const int* near, double* out, int n, cudaStream_t stream) {
    j1_atom<<<(n + 127) / 128, 128, 0, stream>>>(p, near, out, n);
}
