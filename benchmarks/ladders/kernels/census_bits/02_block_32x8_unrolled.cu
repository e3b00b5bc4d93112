// kernelwright: task=../../tasks/census_bits.py entry=census args="image, out, image.shape[0], image.shape[1]"
// same, rows of 32 threads, everything unrolled
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) censusKernel(const unsigned char* __restrict__ image, int* __restrict__ out, int H, int W) {
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 8 + threadIdx.y;
    if (x >= W || y >= H) return;
    int xs[5];
#pragma unroll
    for (int d = 0; d < 5; d++) xs[d] = min(max(x + d - 2, 0), W - 1);
    int centre = image[y * W + x];
    int bits = 0;
#pragma unroll
    for (int dy = -2; dy <= 2; dy++) {
        const unsigned char* row = image + min(max(y + dy, 0), H - 1) * W;
#pragma unroll
        for (int d = 0; d < 5; d++) {
            if (d == 2 && dy == 0) continue;
            bits = bits * 2 + (row[xs[d]] < centre);
        }
    }
    out[y * W + x] = bits;
}

extern "C" void census(const unsigned char* image, int* out, int H, int W, cudaStream_t stream) {
    dim3 block(32, 8), grid((W + 31) / 32, (H + 7) / 8);
    censusKernel<<<grid, block, 0, stream>>>(image, out, H, W);
}
