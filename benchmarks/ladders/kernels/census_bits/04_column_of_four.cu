// kernelwright: task=../../tasks/census_bits.py entry=census args="image, out, image.shape[0], image.shape[1]"
// four rows a thread: the window slides down in registers, 40 loads for four words instead of 100
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) censusKernel(const unsigned char* __restrict__ image, int* __restrict__ out, int H, int W) {
    int x = blockIdx.x * 128 + threadIdx.x;
    int y0 = blockIdx.y * 4;
    if (x >= W) return;
    int xs[5];
#pragma unroll
    for (int d = 0; d < 5; d++) xs[d] = min(max(x + d - 2, 0), W - 1);
    int win[8][5];
#pragma unroll
    for (int r = 0; r < 8; r++) {
        const unsigned char* row = image + min(max(y0 + r - 2, 0), H - 1) * W;
#pragma unroll
        for (int d = 0; d < 5; d++) win[r][d] = row[xs[d]];
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (y0 + k >= H) return;
        int bits = 0;
#pragma unroll
        for (int r = 0; r < 5; r++)
#pragma unroll
            for (int d = 0; d < 5; d++)
                if (r != 2 || d != 2) bits = bits * 2 + (win[k + r][d] < win[k + 2][2]);
        out[(y0 + k) * W + x] = bits;
    }
}

extern "C" void census(const unsigned char* image, int* out, int H, int W, cudaStream_t stream) {
    dim3 grid((W + 127) / 128, (H + 3) / 4);
    censusKernel<<<grid, 128, 0, stream>>>(image, out, H, W);
}
