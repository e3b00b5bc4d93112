#include "repeats.h"

#include <bit>
#include <unordered_map>

namespace kw {
namespace {

// What lies farther back would have been too much to keep in shared memory and registers beside another block's.
constexpr uint64_t kPairsKept = (96 << 10) / 2;

struct Loaded {
  uint64_t pairs = 0;
  uint64_t time = 0;  // pairs of bytes that the block had loaded by then
  uint8_t warp = 0;
};

}  // namespace

void note_repeats(const std::vector<LinePart>& parts, std::vector<Step>& steps, SiteTable& sites) {
  std::unordered_map<uint64_t, Loaded> lines;
  uint64_t time = 0;
  for (auto& step : steps) {
    unsigned asked = 0, again = 0, by_warp = 0;
    for (unsigned p = 0; p < step.parts; ++p) {
      auto& part = parts[step.first + p];
      if (step.how != How::load) {
        // Another value stands there.
        if (auto found = lines.find(part.line); found != lines.end()) found->second.pairs &= ~part.pairs;
        continue;
      }
      auto& line = lines[part.line];
      if (time - line.time > kPairsKept) line.pairs = 0;
      auto known = unsigned(std::popcount(part.pairs & line.pairs));
      asked += unsigned(std::popcount(part.pairs));
      again += known;
      if (line.warp == step.warp) by_warp += known;
      line = {line.pairs | part.pairs, time, step.warp};
    }
    if (!asked) continue;
    time += asked;
    // Of single bytes the mask says too little.
    auto& site = sites[step.site];
    if (site.size < 2) continue;
    step.repeated = uint8_t(255 * again / asked);
    site.repeated += again;
    site.repeated_by_warp += by_warp;
  }
}

}  // namespace kw
