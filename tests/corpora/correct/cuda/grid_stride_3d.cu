#include "../../check.cuh"

__global__ void index3(int* out, int nx, int ny, int nz) {
  for (int z = blockIdx.z * blockDim.z + threadIdx.z; z < nz; z += gridDim.z * blockDim.z)
    for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < ny; y += gridDim.y * blockDim.y)
      for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < nx; x += gridDim.x * blockDim.x)
        out[(z * ny + y) * nx + x] = x + 100 * y + 10000 * z;
}

int main() {
  const int nx = 37, ny = 11, nz = 5;
  Device<int> out(nx * ny * nz);
  dim3 grid(2, 2, 2), block = {8, 4, 2};
  index3<<<grid, block>>>(out.data, nx, ny, nz);
  auto host = out.host();
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) REQUIRE(host[(z * ny + y) * nx + x] == x + 100 * y + 10000 * z);
  return 0;
}
