// kernelwright: task=../../tasks/demosaic.py entry=demosaic args="raw, out, raw.shape[0], raw.shape[1]"
// branches on the colour of the site: neighbours of a warp take two ways
#include <cuda_runtime.h>

__device__ int mirror(int i, int n) { return i < 0 ? -i : i >= n ? 2 * n - 2 - i : i; }

__global__ void demosaic_k(const unsigned char* raw, unsigned char* out, int h, int w) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    auto at = [&](int dy, int dx) { return (int)raw[mirror(y + dy, h) * w + mirror(x + dx, w)]; };
    int r, g, b;
    if (y % 2 == 0 && x % 2 == 0) {
        r = at(0, 0);
        g = (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1) + 2) / 4;
        b = (at(-1, -1) + at(-1, 1) + at(1, -1) + at(1, 1) + 2) / 4;
    } else if (y % 2 == 0) {
        r = (at(0, -1) + at(0, 1) + 1) / 2;
        g = at(0, 0);
        b = (at(-1, 0) + at(1, 0) + 1) / 2;
    } else if (x % 2 == 0) {
        r = (at(-1, 0) + at(1, 0) + 1) / 2;
        g = at(0, 0);
        b = (at(0, -1) + at(0, 1) + 1) / 2;
    } else {
        r = (at(-1, -1) + at(-1, 1) + at(1, -1) + at(1, 1) + 2) / 4;
        g = (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1) + 2) / 4;
        b = at(0, 0);
    }
    unsigned char* o = out + ((size_t)y * w + x) * 3;
    o[0] = r; o[1] = g; o[2] = b;
}

extern "C" void demosaic(const unsigned char* raw, unsigned char* out, int h, int w, cudaStream_t stream) {
    demosaic_k<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8), 0, stream>>>(raw, out, h, w);
}
