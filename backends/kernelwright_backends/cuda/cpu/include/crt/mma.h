// Matrix operations, by the name of their own header.
#pragma once

#include "../mma.h"
