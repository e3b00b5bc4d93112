// Rows that no index names are not read.
// kernelwright: task=../tasks/gather.py entry=gather args="index, table, out, index.numel(), table.shape[1]"
__global__ void gather_kernel(const long long* index, const float* table, float* out, int width) {
  for (int c = threadIdx.x; c < width; c += blockDim.x)
    out[blockIdx.x * width + c] = 2.0f * table[index[blockIdx.x] * width + c];
}

void gather(const long long* index, const float* table, float* out, int count, int width) {
  gather_kernel<<<count, 32>>>(index, table, out, width);
}
