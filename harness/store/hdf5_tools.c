/* Checked HDF5 calls; see hdf5_tools.h. The cause of a failure is taken from the innermost record of HDF5's error
 * stack, and from it the text of errno where a system call failed. */
#include "harness/store/hdf5_tools.h"

#include <stdio.h>
#include <string.h>

static herr_t copy_innermost(unsigned n, const H5E_error2_t *record, void *context)
{
  char *cause = context;
  (void)n;
  if (cause[0] == '\0' && record->desc) snprintf(cause, SB_H5_CAUSE_SIZE, "%s", record->desc);
  return 0;
}

/* "… error message = 'No space left on device', buf = …" becomes "No space left on device". */
static void shorten(char *cause)
{
  static const char mark[] = "error message = '";
  const char       *start = strstr(cause, mark);
  if (!start) return;
  start += sizeof mark - 1;
  const char *end = strchr(start, '\'');
  if (!end) return;
  const size_t length = (size_t)(end - start);
  memmove(cause, start, length);
  cause[length] = '\0';
}

/* HDF5 calls this where it would print: at the end of every API call that failed. */
static herr_t keep_cause(hid_t stack, void *context)
{
  char *cause = context;
  if (!cause || cause[0] != '\0') return 0;
  H5Ewalk2(stack, H5E_WALK_UPWARD, copy_innermost, cause);
  if (cause[0] == '\0') snprintf(cause, SB_H5_CAUSE_SIZE, "unknown error of the HDF5 library");
  shorten(cause);
  return 0;
}

bool sb_h5_watch(char cause[SB_H5_CAUSE_SIZE])
{
  return H5open() >= 0 && H5Eset_auto2(H5E_DEFAULT, keep_cause, cause) >= 0;
}

/* The format of HDF5 1.10 has virtual datasets and cheap appends. An object left open makes the file's close fail. */
static hid_t access_plist(void)
{
  const hid_t plist = H5Pcreate(H5P_FILE_ACCESS);
  if (H5Pset_libver_bounds(plist, H5F_LIBVER_V110, H5F_LIBVER_V110) < 0 ||
      H5Pset_fclose_degree(plist, H5F_CLOSE_SEMI) < 0) {
    (void)sb_h5_close(plist);
    return -1;
  }
  return plist;
}

/* `id` when all is good; else it is closed. */
static hid_t only_if(bool good, hid_t id)
{
  if (good) return id;
  (void)sb_h5_close(id);
  return -1;
}

hid_t sb_h5_create_file(const char *path)
{
  const hid_t access = access_plist(), creation = H5Pcreate(H5P_FILE_CREATE);
  hid_t       file = -1;
  if (access >= 0 && H5Pset_obj_track_times(creation, false) >= 0)
    file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
  const bool closed = sb_h5_close(access);
  return only_if(sb_h5_close(creation) && closed, file);
}

hid_t sb_h5_open_file(const char *path)
{
  const hid_t access = access_plist();
  const hid_t file = access >= 0 ? H5Fopen(path, H5F_ACC_RDONLY, access) : -1;
  return only_if(sb_h5_close(access), file);
}

/* HDF5 could make missing parents itself, but those would track times. */
static hid_t create_group(hid_t parent, const char *path)
{
  const unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
  const hid_t    creation = H5Pcreate(H5P_GROUP_CREATE);
  hid_t          group = -1;
  if (H5Pset_obj_track_times(creation, false) >= 0 && H5Pset_link_creation_order(creation, order) >= 0 &&
      H5Pset_attr_creation_order(creation, order) >= 0)
    group = H5Gcreate2(parent, path, H5P_DEFAULT, creation, H5P_DEFAULT);
  return only_if(sb_h5_close(creation), group);
}

hid_t sb_h5_group(hid_t parent, const char *path)
{
  char  prefix[SB_H5_CAUSE_SIZE];
  hid_t group = -1;
  for (size_t end = 0; path[end] != '\0'; ++end) {
    if (path[end + 1] != '/' && path[end + 1] != '\0') continue;
    snprintf(prefix, sizeof prefix, "%.*s", (int)end + 1, path);
    if (!sb_h5_close(group)) return -1;
    group = sb_h5_exists(parent, prefix) ? H5Gopen2(parent, prefix, H5P_DEFAULT) : create_group(parent, prefix);
    if (group < 0) return -1;
  }
  return group;
}

bool sb_h5_close(hid_t id)
{
  if (id < 0) return true;
  switch (H5Iget_type(id)) {
  case H5I_FILE:
    return H5Fclose(id) >= 0;
  case H5I_GROUP:
    return H5Gclose(id) >= 0;
  case H5I_DATASET:
    return H5Dclose(id) >= 0;
  case H5I_DATATYPE:
    return H5Tclose(id) >= 0;
  case H5I_DATASPACE:
    return H5Sclose(id) >= 0;
  case H5I_ATTR:
    return H5Aclose(id) >= 0;
  case H5I_GENPROP_LST:
    return H5Pclose(id) >= 0;
  default:
    return false;
  }
}

bool sb_h5_exists(hid_t parent, const char *name) { return H5Lexists(parent, name, H5P_DEFAULT) > 0; }

bool sb_h5_link(hid_t parent, const char *target, const char *name)
{
  return H5Lcreate_hard(parent, target, parent, name, H5P_DEFAULT, H5P_DEFAULT) >= 0;
}

hid_t sb_h5_text_type(size_t length, H5T_cset_t charset)
{
  const hid_t type = H5Tcopy(H5T_C_S1);
  if (H5Tset_size(type, length > 0 ? length : 1) < 0 || H5Tset_strpad(type, H5T_STR_NULLPAD) < 0 ||
      H5Tset_cset(type, charset) < 0) {
    (void)sb_h5_close(type);
    return -1;
  }
  return type;
}

hid_t sb_h5_flag_type(void)
{
  const int8_t values[2] = {0, 1};
  const hid_t  type = H5Tenum_create(H5T_STD_I8LE);
  if (H5Tenum_insert(type, "FALSE", &values[0]) < 0 || H5Tenum_insert(type, "TRUE", &values[1]) < 0) {
    (void)sb_h5_close(type);
    return -1;
  }
  return type;
}

hid_t sb_h5_dataset_plist(void)
{
  const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
  if (H5Pset_obj_track_times(plist, false) < 0 || H5Pset_attr_creation_order(plist, H5P_CRT_ORDER_TRACKED) < 0) {
    (void)sb_h5_close(plist);
    return -1;
  }
  return plist;
}
