// A bare kernel inside of a namespace, instantiated by the directive.
// kernelwright: task=../tasks/transpose.py entry="tiles::transpose<float, 16>" args="x, out, x.shape[0], x.shape[1]" grid="ceil_div(x.shape[1], 16), ceil_div(x.shape[0], 16)" block="16, 16"
namespace tiles {
template <class T, int Tile>
__global__ void transpose(const T* x, T* out, int rows, int cols) {
  __shared__ T tile[Tile][Tile + 1];
  int column = blockIdx.x * Tile + threadIdx.x, row = blockIdx.y * Tile + threadIdx.y;
  if (row < rows && column < cols) tile[threadIdx.y][threadIdx.x] = x[row * cols + column];
  __syncthreads();
  column = blockIdx.y * Tile + threadIdx.x, row = blockIdx.x * Tile + threadIdx.y;
  if (row < cols && column < rows) out[row * rows + column] = tile[threadIdx.x][threadIdx.y];
}
}  // namespace tiles
