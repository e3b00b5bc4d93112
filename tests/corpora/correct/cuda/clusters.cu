// Clusters of blocks: the histogram of a cluster lies spread over the shared memory of its blocks.
#include <cooperative_groups.h>

#include "../../check.cuh"

namespace cg = cooperative_groups;

constexpr int kBlocks = 4, kThreads = 64, kBins = 32;

// By the kernel's own word.
__global__ void __cluster_dims__(kBlocks, 1, 1) neighbours(const int* in, int* out) {
  __shared__ int mine[kThreads];
  auto cluster = cg::this_cluster();
  int i = blockIdx.x * kThreads + threadIdx.x;
  mine[threadIdx.x] = in[i];
  cluster.sync();
  const int* next = cluster.map_shared_rank(mine, (cluster.block_rank() + 1) % cluster.num_blocks());
  out[i] = mine[threadIdx.x] + next[kThreads - 1 - threadIdx.x];
  cluster.sync();  // nobody leaves while others read
}

// By the launch's; atomic operations on the shared memory of others.
__global__ void histogram(const int* in, int* out, int count) {
  extern __shared__ int bins[];
  auto cluster = cg::this_cluster();
  for (int b = threadIdx.x; b < kBins / kBlocks; b += blockDim.x) bins[b] = 0;
  cluster.sync();
  for (int i = cg::this_grid().thread_rank(); i < count; i += cg::this_grid().num_threads()) {
    int bin = in[i] % kBins;
    atomicAdd(cluster.map_shared_rank(bins, bin / (kBins / kBlocks)) + bin % (kBins / kBlocks), 1);
  }
  cluster.sync();
  for (int b = threadIdx.x; b < kBins / kBlocks; b += blockDim.x)
    atomicAdd(&out[cluster.block_rank() * (kBins / kBlocks) + b], bins[b]);
}

// In two dimensions, by instructions and by the barrier's two halves.
__global__ void __cluster_dims__(2, 2) corners(unsigned* out) {
  __shared__ unsigned mine;
  unsigned rank, blocks, x, y;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  asm volatile("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(x));
  asm volatile("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(y));
  mine = 100 * (blockIdx.y * gridDim.x + blockIdx.x) + rank;
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  unsigned sum = 0;
  for (unsigned other = 0; other < blocks; ++other) {
    unsigned place, value;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(place) : "r"((unsigned)__cvta_generic_to_shared(&mine)), "r"(other));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(place) : "memory");
    sum += value;
  }
  out[blockIdx.y * gridDim.x + blockIdx.x] = 10 * sum + 2 * y + x;
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
}

// Without a cluster the block is one.
__global__ void alone(int* out) {
  __shared__ int sum;
  auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) sum = 0;
  cluster.sync();
  atomicAdd(&sum, 1);
  cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = sum * (int)cluster.num_blocks();
}

int main() {
  constexpr int count = 2 * kBlocks * kThreads;
  int host[count], got[count], want[kBins] = {};
  for (int i = 0; i < count; ++i) ++want[(host[i] = (i * 7919) % 1000) % kBins];
  int *in, *out;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);

  neighbours<<<2 * kBlocks, kThreads>>>(in, out);
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  for (int i = 0; i < count; ++i) {
    int block = i / kThreads, first = block / kBlocks * kBlocks, next = first + (block - first + 1) % kBlocks;
    REQUIRE(got[i] == host[i] + host[next * kThreads + kThreads - 1 - i % kThreads]);
  }

  cudaMemset(out, 0, kBins * sizeof(int));
  cudaLaunchConfig_t config = {};
  config.gridDim = 2 * kBlocks;
  config.blockDim = kThreads;
  config.dynamicSmemBytes = kBins / kBlocks * sizeof(int);
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeClusterDimension;
  attribute[0].val.clusterDim.x = kBlocks;
  attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
  config.attrs = attribute;
  config.numAttrs = 1;
  int clusters = 0;
  cudaOccupancyMaxActiveClusters(&clusters, histogram, &config);
  REQUIRE(clusters > 0);
  cudaLaunchKernelEx(&config, histogram, (const int*)in, out, count);
  cudaMemcpy(got, out, sizeof want, cudaMemcpyDeviceToHost);
  for (int b = 0; b < kBins; ++b) REQUIRE(got[b] == want[b]);

  corners<<<dim3(4, 2), 1>>>((unsigned*)out);
  cudaMemcpy(got, out, 8 * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < 8; ++i) {
    int x = i % 4, y = i / 4, first = x / 2 * 2;
    int sum = 100 * (first + first + 1 + 4 + first + 4 + first + 1) + 0 + 1 + 2 + 3;
    REQUIRE(got[i] == 10 * sum + 2 * (y % 2) + x % 2);
  }

  alone<<<3, kThreads>>>(out);
  cudaMemcpy(got, out, 3 * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < 3; ++i) REQUIRE(got[i] == kThreads);
  cudaFree(in);
  cudaFree(out);
  return 0;
}
