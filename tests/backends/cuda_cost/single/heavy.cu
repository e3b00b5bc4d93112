// A block reads its row of the tensor three times: millions of accesses each.
__global__ void rows(const float* x, float* out, int columns) {
    const float* row = x + (long)blockIdx.x * columns;
    float sum = 0.0f;
    for (int pass = 0; pass < 3; ++pass)
        for (int i = threadIdx.x; i < columns; i += 256) sum += row[i];
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}

extern "C" void run(const float* x, float* out, int rows_, int columns) { rows<<<rows_, 256>>>(x, out, columns); }
