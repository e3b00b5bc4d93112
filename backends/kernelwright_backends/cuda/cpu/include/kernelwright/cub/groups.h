// Threads that CUB lets work together, and several neighbouring or striped elements for each of them.
#pragma once

#include "../algorithms.h"

namespace cub::kw_cub {

template <int Threads>
KW_QUIET inline unsigned mask() {
  return Threads >= 32 ? ~0u : ((1u << (Threads & 31)) - 1) << (kw_lane() / (unsigned)Threads * (unsigned)Threads);
}

// Who takes part: their ranks, and how they wait for each other.
struct WholeBlock {
  KW_QUIET static unsigned rank() { return kw::rank_in_block(); }
  KW_QUIET static void wait(const void* site) { kw_block_barrier(0, 0, site); }
};
template <int Threads>
struct LogicalWarp {
  KW_QUIET static unsigned rank() { return kw_lane() % (unsigned)Threads; }
  KW_QUIET static void wait(const void* site) { kw_collective(KW_SYNCWARP, mask<Threads>(), 0, 0, 32, site); }
};

template <class T, int Items, int Threads, bool Striped, class Group>
class ItemsLoad {
 public:
  template <class Iterator>
  KW_OUT_OF_LINE void Load(Iterator from, T (&values)[Items]) {
    load(from, values, Threads * Items, __builtin_return_address(0));
  }
  template <class Iterator>
  KW_OUT_OF_LINE void Load(Iterator from, T (&values)[Items], int valid) {
    load(from, values, valid, __builtin_return_address(0));
  }
  template <class Iterator, class Default>
  KW_OUT_OF_LINE void Load(Iterator from, T (&values)[Items], int valid, Default other) {
    for (auto& value : values) value = other;
    load(from, values, valid, __builtin_return_address(0));
  }

 private:
  template <class Iterator>
  KW_QUIET void load(Iterator from, T (&values)[Items], int valid, const void* site) {
    const int rank = (int)Group::rank();
    for (int i = 0; i < Items; ++i) {
      const int at = Striped ? i * Threads + rank : rank * Items + i;
      if (at >= valid) continue;
      kw::touch(from + at, 1, false, site);
      values[i] = from[at];
    }
  }
};

template <class T, int Items, int Threads, bool Striped, class Group>
class ItemsStore {
 public:
  template <class Iterator>
  KW_OUT_OF_LINE void Store(Iterator to, T (&values)[Items]) {
    store(to, values, Threads * Items, __builtin_return_address(0));
  }
  template <class Iterator>
  KW_OUT_OF_LINE void Store(Iterator to, T (&values)[Items], int valid) {
    store(to, values, valid, __builtin_return_address(0));
  }

 private:
  template <class Iterator>
  KW_QUIET void store(Iterator to, T (&values)[Items], int valid, const void* site) {
    const int rank = (int)Group::rank();
    for (int i = 0; i < Items; ++i) {
      const int at = Striped ? i * Threads + rank : rank * Items + i;
      if (at >= valid) continue;
      kw::touch(to + at, 1, true, site);
      to[at] = values[i];
    }
  }
};

}  // namespace cub::kw_cub
