// kernelwright: task=../../tasks/laplace3d.py entry=laplace3d args="x, out, x.shape[0]"
// planes of 32 x 16 march through 48 planes, the middle one in shared memory
#include <cuda_runtime.h>

__global__ void la_tile(const float* x, float* out, int n) {
    __shared__ float s[18][34];
    int tx = threadIdx.x, ty = threadIdx.y, k = blockIdx.x * 32 + tx, y = blockIdx.y * 16 + ty, z0 = blockIdx.z * 48;
    size_t p = (size_t)n * n, i = ((size_t)z0 * n + y) * n + k;
    float below = z0 > 0 ? x[i - p] : 0.f, here = x[i], above;
    for (int z = z0; z < z0 + 48; ++z, i += p) {
        above = z + 1 < n ? x[i + p] : 0.f;
        s[ty + 1][tx + 1] = here;
        if (tx == 0 && k > 0) s[ty + 1][0] = x[i - 1];
        if (tx == 31 && k < n - 1) s[ty + 1][33] = x[i + 1];
        if (ty == 0 && y > 0) s[0][tx + 1] = x[i - n];
        if (ty == 15 && y < n - 1) s[17][tx + 1] = x[i + n];
        __syncthreads();
        bool inside = z > 0 && z < n - 1 && y > 0 && y < n - 1 && k > 0 && k < n - 1;
        out[i] = inside ? above + below + s[ty + 2][tx + 1] + s[ty][tx + 1] + s[ty + 1][tx + 2] + s[ty + 1][tx] - 6.f * here : here;
        __syncthreads();
        below = here;
        here = above;
    }
}
extern "C" void laplace3d(const float* x, float* out, int n, cudaStream_t stream) {
    la_tile<<<dim3(n / 32, n / 16, n / 48), dim3(32, 16), 0, stream>>>(x, out, n);
}
