/* What stays in the case file, in the layout of H5MD 1.1: masses, box, connectivity and the springs' constants. */
#include "harness/store/case_writer.h"

#include <stdlib.h>

/* H5MD wants a box; ours has no boundaries. */
static bool write_box(hid_t file)
{
  static const char boundary[3][4] = {"none", "none", "none"};
  const hsize_t     extent = 3;
  const hid_t       box = sb_h5_group(file, "particles/all/box"), type = sb_h5_text_type(4, H5T_CSET_ASCII);
  const hid_t       space = H5Screate_simple(1, &extent, NULL);
  hid_t             attribute = -1;
  bool              ok = box >= 0 && sb_h5_put_integers(box, "dimension", 1, &(int64_t){3});
  if (ok) attribute = H5Acreate2(box, "boundary", type, space, H5P_DEFAULT, H5P_DEFAULT);
  ok = ok && attribute >= 0 && H5Awrite(attribute, type, boundary) >= 0;
  ok = sb_h5_close(attribute) && ok;
  ok = sb_h5_close(space) && ok;
  ok = sb_h5_close(type) && ok;
  return sb_h5_close(box) && ok;
}

/* H5MD: a connectivity list refers to the group whose particles it numbers. */
static bool refer_to_particles(hid_t file, const char *name)
{
  hobj_ref_t  particles;
  const hid_t list = H5Dopen2(file, name, H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
  hid_t       attribute = -1;
  bool        ok = list >= 0 && H5Rcreate(&particles, file, "particles/all", H5R_OBJECT, -1) >= 0;
  if (ok) attribute = H5Acreate2(list, "particles_group", H5T_STD_REF_OBJ, space, H5P_DEFAULT, H5P_DEFAULT);
  ok = ok && attribute >= 0 && H5Awrite(attribute, H5T_STD_REF_OBJ, &particles) >= 0;
  ok = sb_h5_close(attribute) && ok;
  ok = sb_h5_close(space) && ok;
  return sb_h5_close(list) && ok;
}

static bool write_connectivity(hid_t file, const char *name, size_t count, size_t width, const int32_t *numbers)
{
  int64_t *wide = malloc((count * width + 1) * sizeof *wide);
  if (!wide) return false;
  for (size_t i = 0; i < count * width; ++i) wide[i] = numbers[i];
  const bool ok = sb_h5_write_array(file, name, H5T_NATIVE_INT64, count, width, wide) && refer_to_particles(file, name);
  free(wide);
  return ok;
}

static bool write_scene(sb_case_writer *w, const sb_pose *pose)
{
  const hid_t groups[] = {sb_h5_group(w->file, "particles/all"), sb_h5_group(w->file, "connectivity"),
                          sb_h5_group(w->file, "springs")};
  bool        ok = true;
  for (size_t i = 0; i < sizeof groups / sizeof *groups; ++i) ok = groups[i] >= 0 && sb_h5_close(groups[i]) && ok;
  return ok && write_box(w->file) &&
         sb_h5_write_quantity(w->file, "particles/all/mass", "kg", pose->vertices, 0, pose->mass) &&
         write_connectivity(w->file, "connectivity/springs", pose->springs, 2, pose->ends) &&
         write_connectivity(w->file, "connectivity/triangles", pose->triangles, 3, pose->triangle) &&
         sb_h5_write_quantity(w->file, "springs/stiffness", "N m-1", pose->springs, 0, pose->stiffness) &&
         sb_h5_write_quantity(w->file, "springs/rest_length", "m", pose->springs, 0, pose->rest_length) &&
         sb_h5_write_array(w->file, "springs/kind", H5T_NATIVE_UINT8, pose->springs, 0, pose->kind);
}

bool sb_case_writer_scene(sb_case_writer *writer, const sb_pose *pose)
{
  if (!sb_h5_watch(writer->cause) || writer->file < 0) return false;
  writer->vertices = pose->vertices;
  writer->springs = pose->springs;
  writer->triangles = pose->triangles;
  return write_scene(writer, pose);
}
