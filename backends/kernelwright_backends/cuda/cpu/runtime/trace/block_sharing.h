// Sharing between the blocks of a launch: the sectors that several of them touch, and how far they reach.
#pragma once

#include <vector>

#include "cache_model.h"
#include "trace_samples.h"

namespace kw {

// Of the sectors that block `first` touches, which of its partners touch them as well.
void note_sharing(Sample& sample, const SectorSet& first, const std::vector<SectorSet>& partners);
// How far a block reaches into what the first one touches too.
void note_reach(Sample& sample, const SectorSet& touched);

}  // namespace kw
