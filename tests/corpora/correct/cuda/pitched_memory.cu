// Memory of two and three dimensions, its copies and fills, and what the host asks of a device and of kernels.
#include "../../check.cuh"

__global__ void number(char* data, size_t pitch, int width, int height, int depth) {
  int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
  if (x < width) ((float*)(data + (z * height + y) * pitch))[x] += 100 * z + 10 * y + x;
  (void)depth;
}

__global__ void reverse(float* x) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

int main() {
  const int width = 7, height = 5, depth = 3;
  cudaPitchedPtr box;
  auto extent = make_cudaExtent(width * sizeof(float), height, depth);
  REQUIRE(cudaMalloc3D(&box, extent) == cudaSuccess && box.pitch % 512 == 0);
  REQUIRE(cudaMemset3D(box, 0, extent) == cudaSuccess);
  number<<<dim3(height, depth), 32>>>((char*)box.ptr, box.pitch, width, height, depth);
  std::vector<float> host(width * height * depth);
  cudaMemcpy3DParms what = {};
  what.srcPtr = box;
  what.dstPtr = make_cudaPitchedPtr(host.data(), width * sizeof(float), width, height);
  what.extent = extent;
  what.kind = cudaMemcpyDeviceToHost;
  REQUIRE(cudaMemcpy3D(&what) == cudaSuccess);
  REQUIRE(host[(2 * height + 4) * width + 6] == 246.0f && host[0] == 0.0f);
  cudaFree(box.ptr);

  float* rows;
  size_t pitch;
  REQUIRE(cudaMallocPitch(&rows, &pitch, width * sizeof(float), height) == cudaSuccess);
  REQUIRE(cudaMemset2DAsync(rows, pitch, 0, width * sizeof(float), height, 0) == cudaSuccess);
  std::vector<float> flat(width * height, 1.0f);
  REQUIRE(cudaMemcpy2D(flat.data(), width * sizeof(float), rows, pitch, width * sizeof(float), height,
                       cudaMemcpyDeviceToHost) == cudaSuccess);
  REQUIRE(flat[0] == 0.0f && flat[width * height - 1] == 0.0f);
  cudaFree(rows);

  int grid = 0, block = 0, peers = -1, pools = 0;
  auto shared_bytes = [](int size) { return (size_t)size * sizeof(float); };
  REQUIRE(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, reverse, shared_bytes) == cudaSuccess);
  REQUIRE(grid > 0 && block % 32 == 0 && block > 0);
  REQUIRE(cudaDeviceCanAccessPeer(&peers, 0, 1) == cudaSuccess && peers == 0);
  REQUIRE(cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, 0) == cudaSuccess && pools == 1);
  cudaMemPool_t pool;
  uint64_t kept = 1 << 20, told = 0;
  REQUIRE(cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess);
  REQUIRE(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept) == cudaSuccess);
  REQUIRE(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &told) == cudaSuccess && told == kept);
  dim3 gridDim(1), blockDim(8);  // the host may call its variables as it likes
  Device<float> x(ramp(8));
  reverse<<<gridDim, blockDim, 8 * sizeof(float)>>>(x.data);
  REQUIRE(x.host()[0] == ramp(8)[7] && gridDim.x == 1);
  return 0;
}
