// All of the host's helpers of NVIDIA's samples. Written for Kernelwright; a copy in the workspace comes first.
#pragma once

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "helper_image.h"
#include "helper_string.h"
#include "helper_timer.h"
