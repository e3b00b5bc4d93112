// kernelwright: task=../../tasks/census_bits.py entry=census args="image, out, image.shape[0], image.shape[1]"
// every thread reads its 25 bytes with clamped coordinates
#include <cuda_runtime.h>

__global__ void censusKernel(const unsigned char* image, int* out, int H, int W) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    unsigned char centre = image[(size_t)y * W + x];
    int bits = 0;
    for (int dy = -2; dy <= 2; dy++) {
        for (int dx = -2; dx <= 2; dx++) {
            if (dx == 0 && dy == 0) continue;
            int yy = min(max(y + dy, 0), H - 1);
            int xx = min(max(x + dx, 0), W - 1);
            bits = (bits << 1) | (image[(size_t)yy * W + xx] < centre ? 1 : 0);
        }
    }
    out[(size_t)y * W + x] = bits;
}

extern "C" void census(const unsigned char* image, int* out, int H, int W, cudaStream_t stream) {
    dim3 block(16, 16), grid((W + 15) / 16, (H + 15) / 16);
    censusKernel<<<grid, block, 0, stream>>>(image, out, H, W);
}
