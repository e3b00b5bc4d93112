#include "repeats.h"

#include <bit>
#include <unordered_map>

namespace kw {
namespace {

// What lies farther back would have been too much to keep in shared memory and registers beside another block's.
constexpr uint64_t kWordsKept = (96 << 10) / 4;

struct Loaded {
  uint32_t words = 0;
  uint8_t warp = 0;
  uint64_t time = 0;  // words that the block had loaded by then
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
        if (auto found = lines.find(part.line); found != lines.end()) found->second.words &= ~part.words;
        continue;
      }
      auto& line = lines[part.line];
      if (time - line.time > kWordsKept) line.words = 0;
      auto known = unsigned(std::popcount(part.words & line.words));
      asked += unsigned(std::popcount(part.words));
      again += known;
      if (line.warp == step.warp) by_warp += known;
      line.words |= part.words;
      line.warp = step.warp;
      line.time = time;
    }
    if (!asked) continue;
    time += asked;
    step.repeated = uint8_t(255 * again / asked);
    sites[step.site].repeated += again;
    sites[step.site].repeated_by_warp += by_warp;
  }
}

}  // namespace kw
