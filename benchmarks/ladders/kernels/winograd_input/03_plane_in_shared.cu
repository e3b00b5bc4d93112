// kernelwright: task=../../tasks/winograd_input.py entry=winograd args="x, out, x.shape[0], x.shape[1]"
// a block a plane, padded and in shared memory, two neighbouring tiles a thread, pairs stored
#include <cuda_runtime.h>

__global__ void __launch_bounds__(416) wi_plane(const float* __restrict__ x, float* __restrict__ out, int n, int c) {
    __shared__ float s[58][60];
    int t = threadIdx.x, ch = blockIdx.x, img = blockIdx.y;
    const float* plane = x + (size_t)(img * c + ch) * 3136;
    for (int i = t; i < 58 * 58; i += 416) {
        int y = i / 58 - 1, u = i % 58 - 1;
        s[y + 1][u + 1] = y >= 0 && y < 56 && u >= 0 && u < 56 ? plane[y * 56 + u] : 0.f;
    }
    __syncthreads();
    if (t >= 392) return;
    int ty = t / 14, tx = t % 14;
    float m[4][6];
#pragma unroll
    for (int q = 0; q < 6; ++q) {
        float d0 = s[ty * 2][tx * 4 + q], d1 = s[ty * 2 + 1][tx * 4 + q], d2 = s[ty * 2 + 2][tx * 4 + q], d3 = s[ty * 2 + 3][tx * 4 + q];
        m[0][q] = d0 - d2;
        m[1][q] = d1 + d2;
        m[2][q] = d2 - d1;
        m[3][q] = d1 - d3;
    }
    size_t step = (size_t)c * n * 784;
    float* o = out + (size_t)ch * n * 784 + img * 784 + ty * 28 + tx * 2;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        *(float2*)(o + (r * 4 + 0) * step) = make_float2(m[r][0] - m[r][2], m[r][2] - m[r][4]);
        *(float2*)(o + (r * 4 + 1) * step) = make_float2(m[r][1] + m[r][2], m[r][3] + m[r][4]);
        *(float2*)(o + (r * 4 + 2) * step) = make_float2(m[r][2] - m[r][1], m[r][4] - m[r][3]);
        *(float2*)(o + (r * 4 + 3) * step) = make_float2(m[r][1] - m[r][3], m[r][3] - m[r][5]);
    }
}
extern "C" void winograd(const float* x, float* out, int n, int c, cudaStream_t stream) {
    wi_plane<<<dim3(c, n), 416, 0, stream>>>(x, out, n, c);
}
