/* Attributes and contiguous datasets: the half of hdf5_tools.h that writes values. */
#include "harness/store/hdf5_tools.h"

#include <string.h>

/* Takes `space` over. */
static bool put(hid_t object, const char *name, hid_t type, hid_t space, const void *value)
{
  const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  bool        ok = attribute >= 0 && (!value || H5Awrite(attribute, type, value) >= 0);
  ok = sb_h5_close(attribute) && ok;
  return sb_h5_close(space) && ok;
}

static hid_t space_of(size_t count)
{
  const hsize_t extent = count;
  return count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &extent, NULL);
}

static bool put_string(hid_t object, const char *name, const char *text, H5T_cset_t charset)
{
  const hid_t type = sb_h5_text_type(strlen(text), charset);
  const bool  ok = type >= 0 && put(object, name, type, H5Screate(H5S_SCALAR), text);
  return sb_h5_close(type) && ok;
}

bool sb_h5_put_ascii(hid_t object, const char *name, const char *text)
{
  return put_string(object, name, text, H5T_CSET_ASCII);
}

bool sb_h5_put_text(hid_t object, const char *name, const char *text)
{
  return put_string(object, name, text, H5T_CSET_UTF8);
}

bool sb_h5_put_reals(hid_t object, const char *name, size_t count, const double *values)
{
  return put(object, name, H5T_NATIVE_DOUBLE, space_of(count), values);
}

bool sb_h5_put_integers(hid_t object, const char *name, size_t count, const int64_t *values)
{
  return put(object, name, H5T_NATIVE_INT64, space_of(count), values);
}

bool sb_h5_put_flag(hid_t object, const char *name, bool value)
{
  const int8_t stored = value ? 1 : 0;
  const hid_t  type = sb_h5_flag_type();
  const bool   ok = type >= 0 && put(object, name, type, H5Screate(H5S_SCALAR), &stored);
  return sb_h5_close(type) && ok;
}

bool sb_h5_put_blank(hid_t object, const char *name)
{
  return put(object, name, H5T_NATIVE_DOUBLE, H5Screate(H5S_NULL), NULL);
}

static hid_t create_array(hid_t parent, const char *name, hid_t type, size_t count, size_t width)
{
  const hsize_t extents[2] = {count, width};
  const hid_t   space = H5Screate_simple(width > 0 ? 2 : 1, extents, NULL), plist = sb_h5_dataset_plist();
  hid_t         dataset = -1;
  if (space >= 0 && plist >= 0) dataset = H5Dcreate2(parent, name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  const bool closed = sb_h5_close(space);
  if (sb_h5_close(plist) && closed) return dataset;
  (void)sb_h5_close(dataset);
  return -1;
}

bool sb_h5_write_array(hid_t parent, const char *name, hid_t type, size_t count, size_t width, const void *data)
{
  const hid_t dataset = create_array(parent, name, type, count, width);
  bool        ok = dataset >= 0;
  if (ok && count > 0) ok = H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
  return sb_h5_close(dataset) && ok;
}

bool sb_h5_write_quantity(hid_t parent, const char *name, const char *unit, size_t count, size_t width,
                          const double *values)
{
  if (!sb_h5_write_array(parent, name, H5T_NATIVE_DOUBLE, count, width, values)) return false;
  const hid_t dataset = H5Dopen2(parent, name, H5P_DEFAULT);
  const bool  ok = dataset >= 0 && sb_h5_put_ascii(dataset, "unit", unit);
  return sb_h5_close(dataset) && ok;
}

bool sb_h5_write_curve(hid_t parent, const char *name, const char *unit, size_t count, const double *values)
{
  if (!sb_h5_write_array(parent, name, H5T_NATIVE_DOUBLE, count, 0, values)) return false;
  const hid_t dataset = H5Dopen2(parent, name, H5P_DEFAULT);
  const bool  ok = dataset >= 0 && sb_h5_put_text(dataset, "unit", unit);
  return sb_h5_close(dataset) && ok;
}
