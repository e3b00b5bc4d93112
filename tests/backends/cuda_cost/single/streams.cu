__global__ void add(const float* x, float* out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) out[i] = x[i] + 1.0f;
}

// Eight parts: on the default stream, or on four of their own that are joined by events.
extern "C" void run(const float* x, float* out, int n, int apart) {
    int part = n / 8;
    if (!apart) {
        for (int i = 0; i < 8; ++i) add<<<(part + 255) / 256, 256>>>(x + i * part, out + i * part, part);
        return;
    }
    cudaStream_t streams[4];
    cudaEvent_t done[4];
    for (int i = 0; i < 4; ++i) {
        cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming);
    }
    for (int i = 0; i < 8; ++i) add<<<(part + 255) / 256, 256, 0, streams[i % 4]>>>(x + i * part, out + i * part, part);
    for (int i = 0; i < 4; ++i) {
        cudaEventRecord(done[i], streams[i]);
        cudaStreamWaitEvent(0, done[i], 0);
    }
    add<<<1, 256>>>(x, out, 256);
    for (int i = 0; i < 4; ++i) {
        cudaEventDestroy(done[i]);
        cudaStreamDestroy(streams[i]);
    }
}
