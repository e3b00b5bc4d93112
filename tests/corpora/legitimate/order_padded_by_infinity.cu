// Rows are padded with what lies behind everything.
// kernelwright: task=../tasks/sorted_rows.py entry=f args="x, out, x.shape[0], x.shape[1]"

__global__ void sort_rows(const float* x, float* out, int n, int padded) {
    extern __shared__ float v[];
    for (int i = threadIdx.x; i < padded; i += blockDim.x) v[i] = i < n ? x[blockIdx.x * n + i] : INFINITY;
    for (int size = 2; size <= padded; size *= 2)
        for (int d = size / 2; d; d /= 2) {
            __syncthreads();
            for (int i = threadIdx.x; i < padded; i += blockDim.x) {
                int j = i ^ d;
                if (j > i && (v[i] > v[j]) == ((i & size) == 0)) {
                    float t = v[i];
                    v[i] = v[j];
                    v[j] = t;
                }
            }
        }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x * n + i] = v[i];
}
void f(const float* x, float* out, int rows, int n) {
    int padded = 2;
    while (padded < n) padded *= 2;
    sort_rows<<<rows, 64, padded * sizeof(float)>>>(x, out, n, padded);
}
