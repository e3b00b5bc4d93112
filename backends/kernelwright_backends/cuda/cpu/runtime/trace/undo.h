// What stood where sampled blocks store, to be put back before the launch is executed whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "support/device_allocator.h"

namespace kw {

class Undo {
 public:
  bool on = false;
  void keep(uintptr_t address, size_t size) {
    if (!in_heap(address)) {  // a device variable
      elsewhere_.emplace_back(address, std::vector<char>((const char*)address, (const char*)address + size));
      return;
    }
    for (auto page = address / kPage; page <= (address + size - 1) / kPage; ++page) {
      if (page == last_) continue;
      last_ = page;
      auto& kept = pages_[page];
      if (kept) continue;
      kept = std::make_unique<char[]>(kPage);
      memcpy(kept.get(), (const void*)(page * kPage), kPage);
    }
  }
  void put_back() {
    for (auto& [page, kept] : pages_) memcpy((void*)(page * kPage), kept.get(), kPage);
    for (auto kept = elsewhere_.rbegin(); kept != elsewhere_.rend(); ++kept)
      memcpy((void*)kept->first, kept->second.data(), kept->second.size());
    forget();
  }
  void forget() {
    pages_.clear();
    elsewhere_.clear();
    last_ = 0;
    on = false;
  }

 private:
  static constexpr size_t kPage = 4096;
  std::unordered_map<uintptr_t, std::unique_ptr<char[]>> pages_;
  std::vector<std::pair<uintptr_t, std::vector<char>>> elsewhere_;
  uintptr_t last_ = 0;
};

}  // namespace kw
