// The findings of a run, for the driver's answer.
#pragma once

#include "core.h"

namespace kw {

struct Found {
  std::string code, severity, message;
  Site site = 0;
  std::vector<RelatedPlace> related;
  int64_t core = -1;
  bool cube = false;
  uint64_t count = 1;
};
const std::vector<Found>& findings();
// Those after the first `from`: what was found where other numbers were given is none of the candidate's.
void forget_findings(size_t from);
size_t findings_left_out();
size_t site_count();

}  // namespace kw
