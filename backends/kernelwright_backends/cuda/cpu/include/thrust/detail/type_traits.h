// What Thrust's own headers include.
#pragma once

#include <type_traits>

#include "../../kernelwright/thrust/memory.h"
