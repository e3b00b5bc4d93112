// Where a block's values lie in shared memory so that one warp can go over them in runs.
#pragma once

#include "../cub.cuh"

namespace cub {

template <class T, int Threads, int = 0>
struct BlockRakingLayout {
  enum {
    SHARED_ELEMENTS = Threads,
    MAX_RAKING_THREADS = Threads < 32 ? Threads : 32,
    SEGMENT_LENGTH = (SHARED_ELEMENTS + MAX_RAKING_THREADS - 1) / MAX_RAKING_THREADS,
    RAKING_THREADS = (SHARED_ELEMENTS + SEGMENT_LENGTH - 1) / SEGMENT_LENGTH,
    // Runs of even length would meet in the same banks.
    SEGMENT_PADDING = SEGMENT_LENGTH > 2 && SEGMENT_LENGTH % 2 == 0,
    GRID_ELEMENTS = RAKING_THREADS * (SEGMENT_LENGTH + SEGMENT_PADDING),
    UNGUARDED = SHARED_ELEMENTS % RAKING_THREADS == 0,
  };
  struct TempStorage {
    T values[GRID_ELEMENTS];
  };
  static T* PlacementPtr(TempStorage& storage, unsigned thread) {
    return storage.values + thread + (SEGMENT_PADDING ? thread / SEGMENT_LENGTH : 0);
  }
  static T* RakingPtr(TempStorage& storage, unsigned thread) {
    return storage.values + thread * (SEGMENT_LENGTH + SEGMENT_PADDING);
  }
};

}  // namespace cub
