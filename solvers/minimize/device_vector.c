/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A type of Vec: numbers on a device, with a copy on the host that is made when an array is requested. Operations with
 * a Vec of another type, and those that have no kernel, are PETSc's, on arrays. */
#include "solvers/minimize/device_vector.h"

#include <math.h>

#include <petsc/private/vecimpl.h>

typedef struct {
  VECHEADER /* first: the array of PETSc's operations */
      sb_on_device *on;
  sb_device_buffer *buffer;
  bool              here, there; /* the array, the buffer has the numbers; neither: they are 0 */
} device_vector;

/* Terms of a sum are dealt out to as many items as this; few terms to the smaller number, whose sums are added here. */
enum { FEW_ITEMS = 64, FEW = 8192, FEW_VERTICES = 256 }; /* a vertex has the terms of its springs */

/* ---- the device ---- */

PetscErrorCode sb_on_device_check(const sb_on_device *on)
{
  PetscFunctionBeginUser;
  PetscCheck(!sb_device_error(on->device), PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", sb_device_error(on->device));
  PetscFunctionReturn(0);
}

void sb_on_device_launch(sb_on_device *on, int kernel, int items, const sb_launch *launch)
{
  sb_kernel_arguments a = {{on->net.parameters, on->net.left, on->net.start, on->net.other, on->net.link, on->mass,
                            launch->index, launch->a, launch->b, launch->c, launch->y, launch->w},
                           {items, launch->count, on->net.visits, launch->kind, launch->first, on->vertices},
                           {launch->alpha, launch->beta, 0}};
  for (int i = 0; i < SB_KERNEL_BUFFERS; ++i)
    if (!a.buffer[i]) a.buffer[i] = on->nothing;
  sb_device_launch(on->device, (size_t)kernel, items, &a);
}

double sb_on_device_total(sb_on_device *on, int kernel, int count, sb_launch launch)
{
  const bool few = count <= (kernel == SB_NET_sum ? FEW : FEW_VERTICES),
             largest = kernel == SB_NET_sum && launch.kind == SUM_LARGEST;
  double part[FEW_ITEMS], total = 0;
  launch.y = on->sums[0];
  sb_on_device_launch(on, kernel, few ? FEW_ITEMS : SB_ITEMS, &launch);
  if (!few)
    sb_on_device_launch(on, SB_NET_sum_again, FEW_ITEMS,
                        &(sb_launch){.a = on->sums[0], .y = on->sums[1], .kind = launch.kind});
  sb_device_get_reals(on->device, on->sums[few ? 0 : 1], part, FEW_ITEMS);
  for (int i = 0; i < FEW_ITEMS; ++i)
    total = !largest ? total + part[i] : total != total || part[i] <= total ? total : part[i];
  return total;
}

PetscErrorCode sb_on_device_close(sb_on_device **device)
{
  sb_on_device *on = *device;

  PetscFunctionBeginUser;
  *device = NULL;
  if (!on) PetscFunctionReturn(0);
  on->references--;
  if (on->references == 2 && on->full && on->unknown_vec) { /* only the templates are left */
    Vec full = on->full, unknown = on->unknown_vec;
    on->full = on->unknown_vec = NULL;
    PetscCall(VecDestroy(&full));
    PetscCall(VecDestroy(&unknown)); /* comes here again */
    PetscFunctionReturn(0);
  }
  if (on->references > 0) PetscFunctionReturn(0);
  sb_device_buffer **const all[] = {&on->mass, &on->unknowns, &on->nothing, &on->sums[0], &on->sums[1]};
  sb_device_arrays_destroy(on->device, &on->net);
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) sb_device_release(on->device, all[i]);
  sb_device_close(&on->device);
  PetscCall(PetscFree(on));
  PetscFunctionReturn(0);
}

sb_device *sb_on_device_opened(const sb_on_device *device) { return device->device; }

static device_vector *of(Vec v) { return v->data; }
static int            count_of(Vec v) { return (int)v->map->n; }

/* ---- arrays ---- */

static PetscErrorCode take_array(Vec v, bool reads)
{
  device_vector *d = of(v);

  PetscFunctionBegin;
  if (!d->array_allocated) PetscCall(PetscCalloc1(count_of(v) + 1, &d->array_allocated));
  d->array = d->array_allocated;
  if (reads && d->there && !d->here) {
    sb_device_get_reals(d->on->device, d->buffer, d->array, (size_t)count_of(v));
    PetscCall(sb_on_device_check(d->on));
  }
  d->here = true;
  PetscFunctionReturn(0);
}

static PetscErrorCode get_array(Vec v, PetscScalar **array)
{
  PetscFunctionBegin;
  PetscCall(take_array(v, true));
  of(v)->there = false;
  *array = of(v)->array;
  PetscFunctionReturn(0);
}

static PetscErrorCode get_array_to_read(Vec v, const PetscScalar **array)
{
  PetscFunctionBegin;
  PetscCall(take_array(v, true));
  *array = of(v)->array;
  PetscFunctionReturn(0);
}

static PetscErrorCode get_array_to_write(Vec v, PetscScalar **array)
{
  PetscFunctionBegin;
  PetscCall(take_array(v, false));
  of(v)->there = false;
  *array = of(v)->array;
  PetscFunctionReturn(0);
}

static PetscErrorCode restore_array(Vec v, PetscScalar **array)
{
  (void)v;
  (void)array;
  return 0;
}

static PetscErrorCode restore_array_to_read(Vec v, const PetscScalar **array)
{
  (void)v;
  (void)array;
  return 0;
}

static bool is_ours(Vec v) { return v->ops->getarray == get_array; }

sb_on_device *sb_vec_device(Vec vec) { return is_ours(vec) ? of(vec)->on : NULL; }

static PetscErrorCode take_buffer(sb_on_device *on, Vec v, bool reads, bool writes, sb_device_buffer **buffer)
{
  PetscFunctionBegin;
  PetscCheck(is_ours(v) && of(v)->on == on, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "a vector is not on the device");
  device_vector *d = of(v);
  const size_t   count = (size_t)count_of(v);
  if (!d->buffer) d->buffer = sb_device_allocate(on->device, count * sb_device_real_bytes(on->device));
  if (reads && !d->there) {
    if (!d->here) PetscCall(take_array(v, false));
    if (d->buffer) sb_device_put_reals(on->device, d->buffer, d->array, count);
  }
  PetscCall(sb_on_device_check(on));
  d->there = true;
  if (writes) {
    d->here = false;
    PetscCall(PetscObjectStateIncrease((PetscObject)v));
  }
  *buffer = d->buffer;
  PetscFunctionReturn(0);
}

PetscErrorCode sb_device_vector_read(sb_on_device *on, Vec vec, sb_device_buffer **buffer)
{
  return take_buffer(on, vec, true, false, buffer);
}

PetscErrorCode sb_device_vector_write(sb_on_device *on, Vec vec, sb_device_buffer **buffer)
{
  return take_buffer(on, vec, false, true, buffer);
}

PetscErrorCode sb_device_vector_change(sb_on_device *on, Vec vec, sb_device_buffer **buffer)
{
  return take_buffer(on, vec, true, true, buffer);
}

/* ---- operations ---- */

static bool are_together(Vec x, Vec y) { return is_ours(x) && sb_vec_device(x) == sb_vec_device(y); }

static PetscErrorCode set(Vec y, PetscScalar alpha)
{
  sb_on_device *on = of(y)->on;
  sb_launch     launch = {.kind = FILL_ALL, .alpha = alpha};

  PetscFunctionBegin;
  PetscCall(sb_device_vector_write(on, y, &launch.y));
  sb_on_device_launch(on, SB_NET_fill, count_of(y), &launch);
  PetscFunctionReturn(0);
}

static PetscErrorCode scale(Vec y, PetscScalar alpha)
{
  sb_on_device *on = of(y)->on;
  sb_launch     launch = {.kind = FILL_SCALED, .alpha = alpha};

  PetscFunctionBegin;
  PetscCall(sb_device_vector_change(on, y, &launch.y));
  sb_on_device_launch(on, SB_NET_fill, count_of(y), &launch);
  PetscCall(PetscLogFlops(count_of(y)));
  PetscFunctionReturn(0);
}

/* y = alpha x + beta y, by arrays if one of them is not on the device. */
static PetscErrorCode combine(Vec y, PetscScalar alpha, PetscScalar beta, Vec x)
{
  sb_launch launch = {.alpha = alpha, .beta = beta};

  PetscFunctionBegin;
  if (are_together(x, y)) {
    PetscCall(sb_device_vector_read(of(y)->on, x, &launch.a));
    if (beta == 0)
      PetscCall(sb_device_vector_write(of(y)->on, y, &launch.y));
    else
      PetscCall(sb_device_vector_change(of(y)->on, y, &launch.y));
    sb_on_device_launch(of(y)->on, SB_NET_combine, count_of(y), &launch);
    PetscFunctionReturn(0);
  }
  const PetscScalar *from;
  PetscScalar       *to;
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArray(y, &to));
  for (int i = 0; i < count_of(y); ++i) to[i] = beta == 0 ? alpha * from[i] : alpha * from[i] + beta * to[i];
  PetscCall(VecRestoreArray(y, &to));
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscFunctionReturn(0);
}

static PetscErrorCode copy(Vec x, Vec y) { return combine(y, 1, 0, x); }

static PetscErrorCode axpy(Vec y, PetscScalar alpha, Vec x)
{
  PetscFunctionBegin;
  PetscCall(combine(y, alpha, 1, x));
  PetscCall(PetscLogFlops(2.0 * count_of(y)));
  PetscFunctionReturn(0);
}

static PetscErrorCode axpby(Vec y, PetscScalar alpha, PetscScalar beta, Vec x)
{
  PetscFunctionBegin;
  PetscCall(combine(y, alpha, beta, x));
  PetscCall(PetscLogFlops((beta == 0 ? 1.0 : 3.0) * count_of(y)));
  PetscFunctionReturn(0);
}

static PetscErrorCode aypx(Vec y, PetscScalar beta, Vec x)
{
  PetscFunctionBegin;
  PetscCall(combine(y, 1, beta, x));
  PetscCall(PetscLogFlops(2.0 * count_of(y)));
  PetscFunctionReturn(0);
}

static PetscErrorCode waxpy(Vec w, PetscScalar alpha, Vec x, Vec y)
{
  sb_on_device *on = of(w)->on;
  sb_launch     launch = {.alpha = alpha};

  PetscFunctionBegin;
  if (!are_together(x, w) || !are_together(y, w)) {
    PetscCall(combine(w, 1, 0, y));
    PetscCall(combine(w, alpha, 1, x));
    PetscFunctionReturn(0);
  }
  PetscCall(sb_device_vector_read(on, x, &launch.a));
  PetscCall(sb_device_vector_read(on, y, &launch.b));
  PetscCall(sb_device_vector_write(on, w, &launch.y));
  sb_on_device_launch(on, SB_NET_follow, count_of(w), &launch);
  PetscCall(PetscLogFlops(2.0 * count_of(w)));
  PetscFunctionReturn(0);
}

/* y += the sum of alpha[j] x[j], one after the other */
static PetscErrorCode maxpy(Vec y, PetscInt vectors, const PetscScalar *alpha, Vec *x)
{
  PetscFunctionBegin;
  for (PetscInt j = 0; j < vectors; ++j) PetscCall(axpy(y, alpha[j], x[j]));
  PetscFunctionReturn(0);
}

/* x.y where y is not on the device of x */
static PetscErrorCode dot_arrays(Vec x, Vec y, double *sum)
{
  const PetscScalar *a, *b;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(VecGetArrayRead(y, &b));
  *sum = 0;
  for (int i = 0; i < count_of(x); ++i) *sum += a[i] * b[i];
  PetscCall(VecRestoreArrayRead(y, &b));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscFunctionReturn(0);
}

static PetscErrorCode total(int kind, Vec x, Vec y, double *sum)
{
  sb_on_device *on = of(x)->on;
  sb_launch     launch = {.kind = kind, .count = count_of(x)};

  PetscFunctionBegin;
  PetscCall(sb_device_vector_read(on, x, &launch.a));
  PetscCall(sb_device_vector_read(on, y, &launch.b));
  *sum = sb_on_device_total(on, SB_NET_sum, count_of(x), launch);
  PetscCall(sb_on_device_check(on));
  PetscFunctionReturn(0);
}

static PetscErrorCode dot(Vec x, Vec y, PetscScalar *product)
{
  PetscFunctionBegin;
  if (are_together(x, y))
    PetscCall(total(SUM_PRODUCTS, x, y, product));
  else
    PetscCall(dot_arrays(x, y, product));
  PetscCall(PetscLogFlops(fmax(0, 2.0 * count_of(x) - 1)));
  PetscFunctionReturn(0);
}

static PetscErrorCode mdot(Vec x, PetscInt vectors, const Vec y[], PetscScalar *products)
{
  PetscFunctionBegin;
  for (PetscInt j = 0; j < vectors; ++j) PetscCall(dot(x, y[j], &products[j]));
  PetscFunctionReturn(0);
}

static PetscErrorCode norm(Vec x, NormType type, PetscReal *norm)
{
  const int n = count_of(x);

  PetscFunctionBegin;
  if (type == NORM_1 || type == NORM_1_AND_2) {
    PetscCall(total(SUM_SIZES, x, x, norm++));
    PetscCall(PetscLogFlops(fmax(0, n - 1.0)));
  }
  if (type == NORM_INFINITY) PetscCall(total(SUM_LARGEST, x, x, norm));
  if (type == NORM_1 || type == NORM_INFINITY) PetscFunctionReturn(0);
  PetscCall(dot(x, x, norm));
  *norm = sqrt(*norm);
  PetscFunctionReturn(0);
}

int64_t sb_vec_state(Vec vec)
{
  const PetscObject object = (PetscObject)vec;
  return ((int64_t)object->id << 40) + object->state;
}

PetscErrorCode sb_vec_send(Vec from, Vec to)
{
  sb_device_buffer *buffer;

  PetscFunctionBegin;
  PetscCall(VecCopy(from, to));
  PetscCall(sb_device_vector_read(of(to)->on, to, &buffer));
  PetscFunctionReturn(0);
}

/* ---- the type ---- */

static PetscErrorCode destroy(Vec v)
{
  device_vector *d = of(v);

  PetscFunctionBegin;
  sb_device_release(d->on->device, &d->buffer);
  PetscCall(PetscFree(d->array_allocated));
  PetscCall(sb_on_device_close(&d->on));
  PetscCall(PetscFree(v->data));
  PetscFunctionReturn(0);
}

static PetscErrorCode duplicate(Vec v, Vec *made)
{
  PetscFunctionBegin;
  PetscCall(sb_device_vector_create(of(v)->on, PetscObjectComm((PetscObject)v), count_of(v), made));
  PetscCall(PetscObjectListDuplicate(((PetscObject)v)->olist, &((PetscObject)*made)->olist));
  PetscFunctionReturn(0);
}

/* PETSc's own may make Vecs whose memory is one matrix. */
static PetscErrorCode duplicate_all(Vec v, PetscInt count, Vec **made)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(count, made));
  for (PetscInt i = 0; i < count; ++i) PetscCall(duplicate(v, *made + i));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy_all(PetscInt count, Vec made[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < count; ++i) PetscCall(VecDestroy(&made[i]));
  PetscCall(PetscFree(made));
  PetscFunctionReturn(0);
}

static void set_operations(struct _VecOps *ops)
{
  ops->duplicate = duplicate;
  ops->duplicatevecs = duplicate_all;
  ops->destroyvecs = destroy_all;
  ops->destroy = destroy;
  ops->getarray = get_array;
  ops->getarrayread = get_array_to_read;
  ops->getarraywrite = get_array_to_write;
  ops->restorearray = ops->restorearraywrite = restore_array;
  ops->restorearrayread = restore_array_to_read;
  ops->set = set;
  ops->scale = scale;
  ops->copy = copy;
  ops->axpy = axpy;
  ops->axpby = axpby;
  ops->aypx = aypx;
  ops->waxpy = waxpy;
  ops->maxpy = maxpy;
  ops->dot = ops->tdot = ops->dot_local = ops->tdot_local = dot;
  ops->mdot = ops->mtdot = ops->mdot_local = ops->mtdot_local = mdot;
  ops->norm = ops->norm_local = norm;
  ops->placearray = ops->replacearray = NULL;
  ops->resetarray = NULL;
}

PetscErrorCode sb_device_vector_create(sb_on_device *on, MPI_Comm comm, PetscInt count, Vec *vec)
{
  device_vector *d;
  Vec            v;

  PetscFunctionBegin;
  PetscCall(VecCreateSeqWithArray(comm, 3, count, NULL, &v)); /* for its operations on arrays */
  PetscCall(PetscFree(v->data));
  PetscCall(PetscNew(&d));
  d->on = on;
  on->references++;
  v->data = d;
  v->petscnative = PETSC_FALSE;
  set_operations(v->ops);
  *vec = v;
  PetscFunctionReturn(0);
}
