#include <cuda_pipeline.h>

// Tiles of 128 floats; with AHEAD the next one is on its way while this one is used, otherwise each is waited for at once.
template <bool ahead>
__global__ void stages(const float* x, float* out, int tiles) {
    __shared__ float tile[2][128];
    int t = threadIdx.x;
    float sum = 0.0f;
    auto fetch = [&](int n) {
        __pipeline_memcpy_async(&tile[n % 2][t], &x[n * 128 + t], 4);
        __pipeline_commit();
    };
    if (ahead) fetch(0);
    for (int n = 0; n < tiles; ++n) {
        if (!ahead) fetch(n);
        else if (n + 1 < tiles) fetch(n + 1);
        else __pipeline_commit();
        __pipeline_wait_prior(ahead ? 1 : 0);
        __syncthreads();
        for (int i = 0; i < 128; ++i) sum += tile[n % 2][(t + i) % 128];
        __syncthreads();
    }
    out[t] = sum;
}

extern "C" void run(const float* x, float* out, int tiles, int ahead) {
    if (ahead) stages<true><<<1, 128>>>(x, out, tiles);
    else stages<false><<<1, 128>>>(x, out, tiles);
}
