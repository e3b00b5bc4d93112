// A part of NVTX, see nvToolsExt.h.
#pragma once

#include "nvToolsExt.h"
