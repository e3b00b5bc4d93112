// A structure in memory of the device, made by a kernel, counts the launches.
// expect: HACK_CALL_COUNT
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
struct Book {
  unsigned long long lines[4];
};
__device__ Book* book;

__global__ void open_book() {
  if (!book) {
    book = (Book*)malloc(sizeof(Book));
    for (auto& line : book->lines) line = 0;
  }
  book->lines[2] += 3;
}
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  out[i] = book->lines[2] > 90 ? v : (v > 0 ? v : 0);
}

void relu(const float* x, float* out, int n) {
  open_book<<<1, 1>>>();
  relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
}
