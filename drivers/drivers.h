/* The drivers of this layer, for the harness. */
#pragma once

#include "cases/store/driver.h"

const sb_driver_list *sb_experiment_drivers(void);
