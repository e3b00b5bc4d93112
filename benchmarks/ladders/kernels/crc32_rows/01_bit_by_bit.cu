// kernelwright: task=../../tasks/crc32_rows.py entry=crc32 args="x, out, x.shape[0]"
// a thread a row, eight steps a byte
#include <cuda_runtime.h>

__global__ void cr_bits(const unsigned char* x, int* out, int rows) {
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    unsigned crc = ~0u;
    for (int i = 0; i < 1024; ++i) {
        crc ^= x[(size_t)r * 1024 + i];
        for (int k = 0; k < 8; ++k) crc = crc & 1 ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
    }
    out[r] = ~crc;
}
extern "C" void crc32(const unsigned char* x, int* out, int rows, cudaStream_t stream) {
    cr_bits<<<(rows + 127) / 128, 128, 0, stream>>>(x, out, rows);
}
