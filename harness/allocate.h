/* The harness's memory is that of base/allocate.h. */
#pragma once

#include "base/allocate.h"
