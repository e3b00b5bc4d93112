// NVTX by its older place.
#pragma once

#include "nvtx3/nvToolsExt.h"
