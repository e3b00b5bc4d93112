#include "sharing.h"

#include <algorithm>
#include <bit>

#include "heap.h"

namespace kw {

void note_sharing(Sample& sample, const SectorSet& first, const std::vector<SectorSet>& partners) {
  uintptr_t start = 0, end = 0;
  SharedSectors* into = nullptr;
  for (auto& line : first.lines()) {
    auto address = line.line * kLineBytes;
    if (address < start || address >= end) {
      auto number = allocation_of(address);
      if (number < 0) continue;
      start = allocation(size_t(number)).start;
      end = start + allocation(size_t(number)).size;
      into = &sample.allocations[size_t(number)];
    }
    const SectorSet::Line* others[32] = {};
    for (size_t p = 0; p < partners.size(); ++p) others[p] = partners[p].find(line.line);
    for (unsigned s = 0; s < 4; ++s) {
      uint32_t readers = 0, writers = 0;
      for (size_t p = 0; p < partners.size(); ++p) {
        if (!others[p]) continue;
        readers |= uint32_t((others[p]->read | others[p]->written) >> s & 1) << p;
        writers |= uint32_t(others[p]->written >> s & 1) << p;
      }
      if (line.read >> s & 1) {
        ++into->read;
        ++into->read_by[readers];
      }
      if (line.written >> s & 1) {
        ++into->written;
        if (line.bytes[s] < kSectorBytes && !(line.read >> s & 1)) {
          ++into->partial;
          ++into->partial_by[writers];
        }
      }
    }
  }
}

void note_reach(Sample& sample, const SectorSet& touched) {
  uintptr_t start = 0, end = 0;
  SharedSectors* into = nullptr;
  for (auto& line : touched.lines()) {
    auto address = line.line * kLineBytes;
    if (address < start || address >= end) {
      auto number = allocation_of(address);
      auto found = sample.allocations.find(size_t(number));
      if (number < 0 || found == sample.allocations.end()) continue;
      start = allocation(size_t(number)).start;
      end = start + allocation(size_t(number)).size;
      into = &found->second;
    }
    auto sectors = unsigned(line.read | line.written);
    if (!sectors) continue;
    auto sector = (address - start) / kSectorBytes;
    into->first = std::min<uint64_t>(into->first, sector + unsigned(std::countr_zero(sectors)));
    into->last = std::max<uint64_t>(into->last, sector + unsigned(std::bit_width(sectors)) - 1);
  }
}

}  // namespace kw
