// A table of launchers for the powers of two.
// kernelwright: task=../tasks/softmax.py entry=softmax args="x, out, x.shape[0], x.shape[1]"
template <int Block>
__global__ void softmax_kernel(const float* x, float* out, int cols) {
  __shared__ float room[Block];
  const float* row = x + blockIdx.x * cols;
  float top = -INFINITY, sum = 0;
  for (int c = threadIdx.x; c < cols; c += Block) top = fmaxf(top, row[c]);
  room[threadIdx.x] = top;
  __syncthreads();
  for (int step = Block / 2; step; step /= 2) {
    if (threadIdx.x < step) room[threadIdx.x] = fmaxf(room[threadIdx.x], room[threadIdx.x + step]);
    __syncthreads();
  }
  top = room[0];
  __syncthreads();
  for (int c = threadIdx.x; c < cols; c += Block) sum += expf(row[c] - top);
  room[threadIdx.x] = sum;
  __syncthreads();
  for (int step = Block / 2; step; step /= 2) {
    if (threadIdx.x < step) room[threadIdx.x] += room[threadIdx.x + step];
    __syncthreads();
  }
  for (int c = threadIdx.x; c < cols; c += Block) out[blockIdx.x * cols + c] = expf(row[c] - top) / room[0];
}

using Launcher = void (*)(const float*, float*, int, int);
template <int Block>
static void launched(const float* x, float* out, int rows, int cols) { softmax_kernel<Block><<<rows, Block>>>(x, out, cols); }
static constexpr Launcher kLaunchers[] = {launched<32>, launched<64>, launched<128>, launched<256>};

void softmax(const float* x, float* out, int rows, int cols) {
  int choice = 0;
  while (choice < 3 && (32 << choice) < cols) ++choice;
  kLaunchers[choice](x, out, rows, cols);
}
