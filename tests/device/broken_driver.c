/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A driver of OpenCL with one thing wrong: installs.py defines what it does in place of the right thing. It has one
 * platform with one device, which cannot be opened. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef ON_LOAD
#define ON_LOAD (void)0
#endif
#ifndef ON_PLATFORMS
#define ON_PLATFORMS (void)0
#endif
#ifndef ON_DEVICES
#define ON_DEVICES (void)0
#endif
#ifndef ON_CONTEXT
#define ON_CONTEXT (void)0
#endif
#ifndef PLATFORMS
#define PLATFORMS 1
#endif
#ifndef DEVICES
#define DEVICES 1
#endif
#ifndef NAME
#define NAME "a device"
#endif

__attribute__((constructor)) static void on_load(void) { ON_LOAD; }

static cl_int give(size_t size, void *to, size_t *needed, const char *text)
{
  const size_t length = strlen(text) + 1;
  if (needed) *needed = length;
  if (to) memcpy(to, text, length < size ? length : size);
  return CL_SUCCESS;
}

static cl_int platform_info(cl_platform_id id, cl_platform_info of, size_t size, void *to, size_t *needed)
{
  (void)id;
  return give(size, to, needed,
              of == CL_PLATFORM_EXTENSIONS       ? "cl_khr_icd"
              : of == CL_PLATFORM_ICD_SUFFIX_KHR ? "own"
              : of == CL_PLATFORM_NAME           ? "a platform"
                                                 : "OpenCL 3.0");
}

static cl_int devices(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *ids, cl_uint *count);
static cl_int device_info(cl_device_id id, cl_device_info of, size_t size, void *to, size_t *needed)
{
  const cl_device_fp_config all = ~0ul;
  (void)id;
  if (of == CL_DEVICE_DOUBLE_FP_CONFIG && to && size == sizeof all) memcpy(to, &all, size);
  if (of == CL_DEVICE_DOUBLE_FP_CONFIG) return CL_SUCCESS;
  if (of == CL_DEVICE_NAME || of == CL_DRIVER_VERSION || of == CL_DEVICE_VERSION) return give(size, to, needed, NAME);
  return CL_INVALID_VALUE;
}

static cl_context context(const cl_context_properties *properties, cl_uint count, const cl_device_id *ids,
                          void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data,
                          cl_int *code)
{
  (void)properties, (void)count, (void)ids, (void)notify, (void)data;
  ON_CONTEXT;
  *code = CL_OUT_OF_RESOURCES;
  return NULL;
}

static cl_icd_dispatch dispatch = {.clGetPlatformInfo = platform_info,
                                   .clGetDeviceIDs = devices,
                                   .clGetDeviceInfo = device_info,
                                   .clCreateContext = context};
static struct {
  cl_icd_dispatch *dispatch;
} platform = {&dispatch}, device = {&dispatch};

/* It fills one place, whatever it says. */
static cl_int devices(cl_platform_id of, cl_device_type type, cl_uint room, cl_device_id *ids, cl_uint *count)
{
  const int number = DEVICES;
  (void)of, (void)type;
  ON_DEVICES;
  if (number < 0) return number;
  if (count) *count = (cl_uint)number;
  if (ids && room > 0 && number > 0) *ids = (cl_device_id)&device;
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id id, cl_platform_info of, size_t size, void *to,
                                                  size_t *needed)
{
  return platform_info(id, of, size, to, needed);
}

#ifndef NO_FUNCTION
CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id *ids, cl_uint *count);
CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id *ids, cl_uint *count)
{
  const int number = PLATFORMS;
  ON_PLATFORMS;
  if (number < 0) return number;
  if (count) *count = (cl_uint)number;
  if (ids && room > 0 && number > 0) *ids = (cl_platform_id)&platform;
  return CL_SUCCESS;
}

CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
  return strcmp(name, "clIcdGetPlatformIDsKHR") == 0 ? (void *)clIcdGetPlatformIDsKHR : NULL;
}
#endif
