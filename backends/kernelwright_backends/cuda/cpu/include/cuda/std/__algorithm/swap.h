// A part of <cuda/std/algorithm> that other libraries include alone.
#pragma once

#include "../algorithm"
