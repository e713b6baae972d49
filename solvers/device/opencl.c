/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Devices of OpenCL. The library is opened at run time, so that the program starts without it. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/device/backend.h"

enum { GROUP = 64, PLATFORMS_MAX = 16, KERNELS_MAX = 64, NO_PLATFORM = -1001 /* CL_PLATFORM_NOT_FOUND_KHR */ };

#define CALLS(X)                                                                                                       \
  X(GetPlatformIDs)                                                                                                    \
  X(GetPlatformInfo)                                                                                                   \
  X(GetDeviceIDs)                                                                                                      \
  X(GetDeviceInfo)                                                                                                     \
  X(CreateContext)                                                                                                     \
  X(ReleaseContext)                                                                                                    \
  X(CreateCommandQueue)                                                                                                \
  X(ReleaseCommandQueue)                                                                                               \
  X(CreateProgramWithSource)                                                                                           \
  X(BuildProgram)                                                                                                      \
  X(GetProgramBuildInfo)                                                                                               \
  X(ReleaseProgram)                                                                                                    \
  X(CreateKernel)                                                                                                      \
  X(SetKernelArg)                                                                                                      \
  X(ReleaseKernel)                                                                                                     \
  X(CreateBuffer)                                                                                                      \
  X(ReleaseMemObject)                                                                                                  \
  X(EnqueueWriteBuffer)                                                                                                \
  X(EnqueueReadBuffer)                                                                                                 \
  X(EnqueueNDRangeKernel)                                                                                              \
  X(EnqueueMarkerWithWaitList)                                                                                         \
  X(GetEventProfilingInfo)                                                                                             \
  X(ReleaseEvent)                                                                                                      \
  X(Finish)

typedef struct {
#define MEMBER(name) __typeof__(&cl##name) name;
  CALLS(MEMBER)
#undef MEMBER
} calls;

typedef struct {
  calls            cl;
  cl_context       context;
  cl_command_queue queue;
  cl_program       program;
  size_t           count;
  cl_kernel        kernel[KERNELS_MAX];
  void            *memory[KERNELS_MAX][SB_KERNEL_BUFFERS]; /* arguments as they are set */
  int              number[KERNELS_MAX][SB_KERNEL_NUMBERS];
  double           real[KERNELS_MAX][SB_KERNEL_REALS];
  bool             single;
  bool             set[KERNELS_MAX];
  cl_event         first;
  cl_int           code;
  char             error[64];
} opencl;

static const char install[] = "install a driver of the card, or pocl-opencl-icd, which runs on the processor";

const char *sb_device_opencl_drivers(void)
{
  static const char *const names[] = {"OCL_ICD_FILENAMES", "OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (getenv(names[i]) && *getenv(names[i])) return getenv(names[i]);
  return "/etc/OpenCL/vendors";
}

/* The library stays open: drivers do not survive being closed. */
static bool load(calls *cl, char *why)
{
  void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    snprintf(why, SB_DEVICE_WHY, "there is no libOpenCL.so.1: install ocl-icd-libopencl1, and %s", install + 8);
    return false;
  }
#define FIND(name)                                                                                                     \
  if (!(*(void **)&cl->name = dlsym(library, "cl" #name))) {                                                           \
    snprintf(why, SB_DEVICE_WHY, "libOpenCL.so.1 lacks cl%s: install ocl-icd-libopencl1", #name);                      \
    return false;                                                                                                      \
  }
  CALLS(FIND)
#undef FIND
  return true;
}

/* Texts of a driver go into tables, JSON and files. */
static void clean(char *text)
{
  for (; *text; ++text)
    if (*text < ' ' || *text > '~') *text = '?';
}

static void describe(const calls *cl, cl_platform_id platform, cl_device_id id, sb_device_facts *f)
{
  cl_device_fp_config doubles = 0, singles = 0;
  cl_device_type      type = 0;
  cl_uint             units = 0;
  cl_ulong            bytes = 0;
  *f = (sb_device_facts){.units = 0};
  cl->GetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof f->platform - 1, f->platform, NULL);
  cl->GetDeviceInfo(id, CL_DEVICE_NAME, sizeof f->name - 1, f->name, NULL);
  cl->GetDeviceInfo(id, CL_DRIVER_VERSION, sizeof f->driver - 1, f->driver, NULL);
  cl->GetDeviceInfo(id, CL_DEVICE_VERSION, sizeof f->version - 1, f->version, NULL);
  cl->GetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
  cl->GetDeviceInfo(id, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof doubles, &doubles, NULL);
  cl->GetDeviceInfo(id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof singles, &singles, NULL);
  cl->GetDeviceInfo(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
  cl->GetDeviceInfo(id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof bytes, &bytes, NULL);
  clean(f->platform);
  clean(f->name);
  clean(f->driver);
  clean(f->version);
  f->gpu = type & CL_DEVICE_TYPE_GPU;
  f->doubles = doubles & CL_FP_ROUND_TO_NEAREST && doubles & CL_FP_DENORM;
  f->rounds = singles & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
  f->denormals = singles & CL_FP_DENORM;
  f->units = units;
  f->bytes = bytes;
}

/* Adds that a platform has no device. */
static void note_barren(const calls *cl, cl_platform_id platform, cl_int code, sb_device_listing *all)
{
  char         name[128] = "", failed[40] = "";
  const size_t used = strlen(all->why);
  all->broken = all->broken || (code != CL_SUCCESS && code != CL_DEVICE_NOT_FOUND);
  cl->GetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
  clean(name);
  if (all->broken) snprintf(failed, sizeof failed, " (OpenCL error %d)", code);
  snprintf(
      all->why + used, SB_DEVICE_WHY - used, "%splatform '%s' has no device%s%s", used > 0 ? "; " : "", name, failed,
      strcmp(name, "Portable Computing Language") == 0 ? ": PoCL needs a folder that it can write; set POCL_CACHE_DIR"
                                                       : "");
}

/* The devices of all platforms; `ids` [SB_DEVICES_MAX] may be NULL. */
static void find_all(const calls *cl, sb_device_listing *all, cl_device_id *ids)
{
  cl_platform_id platforms[PLATFORMS_MAX] = {NULL};
  cl_uint        count = 0;
  const cl_int   listed = cl->GetPlatformIDs(PLATFORMS_MAX, platforms, &count);
  for (cl_uint p = 0; listed == CL_SUCCESS && p < count && p < PLATFORMS_MAX; ++p) {
    cl_device_id of_platform[SB_DEVICES_MAX] = {NULL};
    cl_uint      devices = 0;
    const cl_int code = cl->GetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, SB_DEVICES_MAX, of_platform, &devices);
    if (code != CL_SUCCESS || !of_platform[0]) devices = 0;
    if (devices == 0) note_barren(cl, platforms[p], code, all);
    for (cl_uint d = 0; d < devices && d < SB_DEVICES_MAX && of_platform[d] && all->count < SB_DEVICES_MAX; ++d) {
      if (ids) ids[all->count] = of_platform[d];
      describe(cl, platforms[p], of_platform[d], &all->facts[all->count++]);
    }
  }
  if (all->count > 0 || *all->why) return;
  all->broken = listed != CL_SUCCESS && listed != NO_PLATFORM;
  if (all->broken)
    snprintf(all->why, SB_DEVICE_WHY, "OpenCL does not list its platforms (error %d): repair its drivers of %s", listed,
             sb_device_opencl_drivers());
  else
    snprintf(all->why, SB_DEVICE_WHY, "OpenCL has no device, as no driver of %s loads: %s", sb_device_opencl_drivers(),
             install);
}

void sb_device_opencl_list(void *listing)
{
  calls              cl;
  sb_device_listing *all = listing;
  if (load(&cl, all->why)) find_all(&cl, all, NULL);
}

/* Returns the number of the device, -1 with a reason. */
static int choose(int number, bool single, const sb_device_facts *facts, size_t count, char *why)
{
  for (size_t i = 0; number < 0 && i < count; ++i)
    if (facts[i].gpu && (single || facts[i].doubles)) number = (int)i;
  if (number < 0) number = 0;
  if ((size_t)number >= count) {
    snprintf(why, SB_DEVICE_WHY, "there is no device opencl:%d; `springbench list devices` shows %zu", number + 1,
             count);
    return -1;
  }
  if (single || facts[number].doubles) return number;
  snprintf(why, SB_DEVICE_WHY, "device '%s' has no double precision: choose precision=single or another device (%s)",
           facts[number].name, install);
  return -1;
}

static bool build(opencl *o, cl_device_id id, bool single, const sb_kernel_set *set, const sb_device_facts *facts,
                  char *why)
{
  char options[200], log[600] = "";
  snprintf(options, sizeof options, "-cl-std=CL1.2 %s%s %s", single ? "-D SB_SINGLE" : "-D SB_DOUBLE",
           single && facts->rounds ? " -cl-fp32-correctly-rounded-divide-sqrt" : "", set->options);
  o->program = o->cl.CreateProgramWithSource(o->context, 1, (const char **)&(const char *){set->text}, NULL, &o->code);
  if (o->program) o->code = o->cl.BuildProgram(o->program, 1, &id, options, NULL, NULL);
  for (size_t k = 0; !o->code && k < set->count && k < KERNELS_MAX; ++k, ++o->count)
    o->kernel[k] = o->cl.CreateKernel(o->program, set->names[k], &o->code);
  if (!o->code) return true;
  if (o->program) o->cl.GetProgramBuildInfo(o->program, id, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
  snprintf(why, SB_DEVICE_WHY, "device '%s' did not build the kernels (OpenCL error %d): %s", facts->name, o->code,
           log);
  return false;
}

static void close_all(void *state)
{
  opencl *o = state;
  if (o->queue) o->cl.Finish(o->queue);
  if (o->first) o->cl.ReleaseEvent(o->first);
  for (size_t k = 0; k < o->count; ++k)
    if (o->kernel[k]) o->cl.ReleaseKernel(o->kernel[k]);
  if (o->program) o->cl.ReleaseProgram(o->program);
  if (o->queue) o->cl.ReleaseCommandQueue(o->queue);
  if (o->context) o->cl.ReleaseContext(o->context);
  free(o);
}

void *sb_device_opencl_open(int number, bool single, const sb_kernel_set *set, sb_device_facts *facts,
                            char why[SB_DEVICE_WHY])
{
  cl_device_id       ids[SB_DEVICES_MAX];
  opencl            *o = calloc(1, sizeof *o);
  sb_device_listing *all = calloc(1, sizeof *all);
  int                chosen = -1;
  if (o && all && load(&o->cl, all->why)) find_all(&o->cl, all, ids);
  if (all) memcpy(why, all->why, sizeof all->why);
  if (all && all->count > 0) chosen = choose(number, single, all->facts, all->count, why);
  bool good = chosen >= 0;
  if (good) {
    *facts = all->facts[chosen];
    o->single = single;
    o->context = o->cl.CreateContext(NULL, 1, &ids[chosen], NULL, NULL, &o->code);
    if (o->context) o->queue = o->cl.CreateCommandQueue(o->context, ids[chosen], CL_QUEUE_PROFILING_ENABLE, &o->code);
    if (!o->queue) snprintf(why, SB_DEVICE_WHY, "device '%s' did not open (OpenCL error %d)", facts->name, o->code);
    good = o->queue && build(o, ids[chosen], single, set, facts, why);
  }
  free(all);
  if (good) return o;
  if (o) close_all(o);
  return NULL;
}

static void *allocate(void *state, size_t bytes)
{
  opencl *o = state;
  return o->cl.CreateBuffer(o->context, CL_MEM_READ_WRITE, bytes, NULL, &o->code);
}

static void release(void *state, void *memory)
{
  opencl *o = state;
  o->cl.ReleaseMemObject(memory);
  memset(o->set, 0, sizeof o->set); /* another buffer may get the same address */
}

static bool put(void *state, void *memory, const void *from, size_t bytes)
{
  opencl *o = state;
  o->code = o->cl.EnqueueWriteBuffer(o->queue, memory, CL_TRUE, 0, bytes, from, 0, NULL, NULL);
  return o->code == CL_SUCCESS;
}

static bool get(void *state, void *memory, void *to, size_t bytes)
{
  opencl *o = state;
  o->code = o->cl.EnqueueReadBuffer(o->queue, memory, CL_TRUE, 0, bytes, to, 0, NULL, NULL);
  return o->code == CL_SUCCESS;
}

/* Only arguments that have changed are set, as setting all of them costs as much as the launch. */
static void set_arguments(opencl *o, size_t k, void *const *memory, const int *number, const double *real)
{
  for (cl_uint i = 0; i < SB_KERNEL_BUFFERS; ++i) {
    if ((o->set[k] && o->memory[k][i] == memory[i]) || o->code) continue;
    o->memory[k][i] = memory[i];
    o->code = o->cl.SetKernelArg(o->kernel[k], i, sizeof(cl_mem), &memory[i]);
  }
  for (cl_uint i = 0; i < SB_KERNEL_NUMBERS; ++i) {
    if ((o->set[k] && o->number[k][i] == number[i]) || o->code) continue;
    o->number[k][i] = number[i];
    o->code = o->cl.SetKernelArg(o->kernel[k], SB_KERNEL_BUFFERS + i, sizeof(cl_int), &number[i]);
  }
  for (cl_uint i = 0; i < SB_KERNEL_REALS; ++i) {
    if ((o->set[k] && memcmp(&o->real[k][i], &real[i], sizeof *real) == 0) || o->code) continue;
    const float single = (float)real[i];
    o->real[k][i] = real[i];
    o->code =
        o->cl.SetKernelArg(o->kernel[k], SB_KERNEL_BUFFERS + SB_KERNEL_NUMBERS + i,
                           o->single ? sizeof single : sizeof *real, o->single ? (const void *)&single : &real[i]);
  }
  o->set[k] = !o->code;
}

static bool launch(void *state, size_t kernel, int items, void *const *memory, const int *number, const double *real,
                   bool first)
{
  opencl      *o = state;
  const size_t group = GROUP, all = ((size_t)items + GROUP - 1) / GROUP * GROUP;
  o->code = CL_SUCCESS;
  set_arguments(o, kernel, memory, number, real);
  if (o->code) return false;
  if (first && o->first) o->cl.ReleaseEvent(o->first);
  if (first) o->first = NULL;
  o->code =
      o->cl.EnqueueNDRangeKernel(o->queue, o->kernel[kernel], 1, NULL, &all, &group, 0, NULL, first ? &o->first : NULL);
  return o->code == CL_SUCCESS;
}

static bool finish(void *state, double *seconds)
{
  opencl  *o = state;
  cl_event last = NULL;
  cl_ulong start = 0, end = 0;
  *seconds = -1;
  const bool marked = o->cl.EnqueueMarkerWithWaitList(o->queue, 0, NULL, &last) == CL_SUCCESS;
  o->code = o->cl.Finish(o->queue);
  if (marked && !o->code && o->first &&
      o->cl.GetEventProfilingInfo(o->first, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL) == CL_SUCCESS &&
      o->cl.GetEventProfilingInfo(last, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) == CL_SUCCESS && end > start)
    *seconds = 1e-9 * (double)(end - start);
  if (last) o->cl.ReleaseEvent(last);
  return o->code == CL_SUCCESS;
}

static void set_threads(void *state, int threads)
{
  (void)state;
  (void)threads;
}

static const char *error(void *state)
{
  opencl *o = state;
  snprintf(o->error, sizeof o->error, "OpenCL error %d", o->code);
  return o->error;
}

const sb_device_backend sb_device_opencl = {.allocate = allocate,
                                            .release = release,
                                            .put = put,
                                            .get = get,
                                            .launch = launch,
                                            .finish = finish,
                                            .set_threads = set_threads,
                                            .error = error,
                                            .close = close_all};
