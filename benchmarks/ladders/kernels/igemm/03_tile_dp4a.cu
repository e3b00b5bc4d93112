// kernelwright: task=../../tasks/igemm.py entry=igemm args="a, b, out, a.shape[0], b.shape[0], a.shape[1]"
// tiles of 32 rows and 64 bytes in shared memory, two by two outputs a thread
#include <cuda_runtime.h>

__global__ void ig_tile(const int* a, const int* b, int* out, int n, int k4) {
    __shared__ int as[32][17], bs[32][17];
    int x = threadIdx.x, y = threadIdx.y, s[2][2] = {};
    for (int k0 = 0; k0 < k4; k0 += 16) {
        for (int j = 0; j < 32; j += 16) {
            as[y + j][x] = a[(size_t)(blockIdx.y * 32 + y + j) * k4 + k0 + x];
            bs[y + j][x] = b[(size_t)(blockIdx.x * 32 + y + j) * k4 + k0 + x];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; ++i)
            for (int p = 0; p < 2; ++p)
                for (int q = 0; q < 2; ++q) s[p][q] = __dp4a(as[y + 16 * p][i], bs[x + 16 * q][i], s[p][q]);
        __syncthreads();
    }
    for (int p = 0; p < 2; ++p)
        for (int q = 0; q < 2; ++q) out[(size_t)(blockIdx.y * 32 + y + 16 * p) * n + blockIdx.x * 32 + x + 16 * q] = s[p][q];
}
extern "C" void igemm(const signed char* a, const signed char* b, int* out, int m, int n, int k, cudaStream_t stream) {
    ig_tile<<<dim3(n / 32, m / 32), dim3(16, 16), 0, stream>>>((const int*)a, (const int*)b, out, n, k / 4);
}
