// kernelwright: task=../../tasks/hgemm.py entry=hgemm args="a, b, out, a.shape[0], b.shape[1], a.shape[1]"
// one output a thread, half tiles of 16 x 16 in shared memory, no tensor cores
#include <cuda_fp16.h>

__global__ void hg_tile(const __half* __restrict__ a, const __half* __restrict__ b, float* __restrict__ out, int m, int n, int k) {
    __shared__ __half as[16][16], bs[16][16];
    int x = threadIdx.x, y = threadIdx.y, r = blockIdx.y * 16 + y, c = blockIdx.x * 16 + x;
    float acc = 0.f;
    for (int k0 = 0; k0 < k; k0 += 16) {
        as[y][x] = a[r * k + k0 + x];
        bs[y][x] = b[(k0 + y) * n + c];
        __syncthreads();
        for (int j = 0; j < 16; ++j) acc += __half2float(as[y][j]) * __half2float(bs[j][x]);
        __syncthreads();
    }
    out[r * n + c] = acc;
}
extern "C" void hgemm(const __half* a, const __half* b, float* out, int m, int n, int k, cudaStream_t stream) {
    hg_tile<<<dim3(n / 16, m / 16), dim3(16, 16), 0, stream>>>(a, b, out, m, n, k);
}
