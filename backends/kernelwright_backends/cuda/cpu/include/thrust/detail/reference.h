// What Thrust's own headers include.
#pragma once

#include "../../kernelwright/thrust/memory.h"
