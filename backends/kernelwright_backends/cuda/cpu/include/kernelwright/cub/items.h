// Several neighbouring or striped elements for each thread: what the loads and stores of CUB's blocks and warps share.
#pragma once

#include "../algorithms.h"

namespace cub::kw_cub {

struct RankInBlock {
  KW_QUIET static int get() { return (int)kw::rank_in_block(); }
};
template <int Threads>
struct RankInWarp {
  KW_QUIET static int get() { return (int)(kw_lane() % (unsigned)Threads); }
};

template <class T, int Items, int Threads, bool Striped, class Rank>
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
    const int rank = Rank::get();
    for (int i = 0; i < Items; ++i) {
      const int at = Striped ? i * Threads + rank : rank * Items + i;
      if (at >= valid) continue;
      kw::touch(from + at, 1, false, site);
      values[i] = from[at];
    }
  }
};

template <class T, int Items, int Threads, bool Striped, class Rank>
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
    const int rank = Rank::get();
    for (int i = 0; i < Items; ++i) {
      const int at = Striped ? i * Threads + rank : rank * Items + i;
      if (at >= valid) continue;
      kw::touch(to + at, 1, true, site);
      to[at] = values[i];
    }
  }
};

}  // namespace cub::kw_cub
