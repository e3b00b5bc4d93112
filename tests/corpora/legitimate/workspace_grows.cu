// A class holds a workspace that grows by half again, and is freed by nobody.
// kernelwright: task=../tasks/row_sums.py entry=row_sums args="x, out, x.shape[0], x.shape[1]"
class Workspace {
 public:
  static Workspace& instance() {
    static Workspace only;
    return only;
  }
  float* get(size_t bytes) {
    if (bytes > held_) {
      if (room_) cudaFree(room_);
      held_ = bytes + bytes / 2;
      cudaMalloc(&room_, held_);
      ++grown_;
    }
    ++asked_;
    return static_cast<float*>(room_);
  }

 private:
  void* room_ = nullptr;
  size_t held_ = 0;
  long asked_ = 0, grown_ = 0;
};

__global__ void parts(const float* x, float* p, int cols, int each) {
  float sum = 0;
  int to = min(cols, (int)(blockIdx.y + 1) * each);
  for (int c = blockIdx.y * each + threadIdx.x; c < to; c += 32) sum += x[blockIdx.x * cols + c];
  for (int step = 16; step; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (threadIdx.x == 0) p[blockIdx.x * gridDim.y + blockIdx.y] = sum;
}
__global__ void join(const float* p, float* out, int rows, int count) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0;
  for (int i = 0; i < count; ++i) sum += p[r * count + i];
  out[r] = sum;
}

void row_sums(const float* x, float* out, int rows, int cols) {
  int count = 4;
  float* p = Workspace::instance().get(rows * count * sizeof(float));
  parts<<<dim3(rows, count), 32>>>(x, p, cols, (cols + count - 1) / count);
  join<<<(rows + 31) / 32, 32>>>(p, out, rows, count);
}
