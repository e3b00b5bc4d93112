// A part of <cuda/std/numeric> that other libraries include alone.
#pragma once

#include "../numeric"
