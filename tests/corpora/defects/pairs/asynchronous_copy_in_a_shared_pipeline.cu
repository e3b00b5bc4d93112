#include "../../pair.cuh"

#include <cooperative_groups.h>
#include <cuda/pipeline>

// That all threads have handed over their copies does not say that these have arrived.
__global__ void sums(const float* x, float* y, int tiles) {
  __shared__ float stage[2][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cooperative_groups::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  float sum = 0;
  for (int k = 0; k <= tiles; ++k) {
    if (k < tiles) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, stage[k % 2], x + k * 128, sizeof(float) * 128, pipe);  // expect: SYNC_ASYNC_COPY?
      pipe.producer_commit();
    }
    if (k == 0) continue;
#ifdef DEFECT
    block.sync();
#else
    pipe.consumer_wait();
#endif
    sum += stage[(k - 1) % 2][127 - threadIdx.x];  // expect: SYNC_ASYNC_COPY
    pipe.consumer_release();
  }
  y[threadIdx.x] = sum;
}

int main() {
  const int tiles = 4;
  Device<float> x(ramp(128 * tiles)), y(128);
  sums<<<1, 128>>>(x.data, y.data, tiles);
  printf("%f\n", y.host()[0]);
  return 0;
}
