// A part of the runtime interface, by the name of its own header.
#pragma once

#include "cuda_runtime.h"
