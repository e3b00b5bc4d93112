// kernelwright: task=../../tasks/census_bits.py entry=census args="image, out, image.shape[0], image.shape[1]"
// tile with a rim of two in shared memory
#include <cuda_runtime.h>

#define TX 64
#define TY 8

__global__ void censusKernel(const unsigned char* __restrict__ image, int* __restrict__ out, int H, int W) {
    __shared__ unsigned char tile[TY + 4][TX + 4];
    int x0 = blockIdx.x * TX, y0 = blockIdx.y * TY;
    int t = threadIdx.y * TX + threadIdx.x;
    for (int i = t; i < (TX + 4) * (TY + 4); i += TX * TY) {
        int r = i / (TX + 4), c = i % (TX + 4);
        int yy = min(max(y0 + r - 2, 0), H - 1), xx = min(max(x0 + c - 2, 0), W - 1);
        tile[r][c] = image[(size_t)yy * W + xx];
    }
    __syncthreads();
    int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    if (x >= W || y >= H) return;
    int centre = tile[threadIdx.y + 2][threadIdx.x + 2], bits = 0;
#pragma unroll
    for (int r = 0; r < 5; r++)
#pragma unroll
        for (int c = 0; c < 5; c++)
            if (r != 2 || c != 2) bits = bits * 2 + (tile[threadIdx.y + r][threadIdx.x + c] < centre);
    out[(size_t)y * W + x] = bits;
}

extern "C" void census(const unsigned char* image, int* out, int H, int W, cudaStream_t stream) {
    dim3 block(TX, TY), grid((W + TX - 1) / TX, (H + TY - 1) / TY);
    censusKernel<<<grid, block, 0, stream>>>(image, out, H, W);
}
