/* HDF5 with every return value looked at: small checked calls for the case file's writers and readers. Local.
 *
 * HDF5 prints nothing itself; the cause of the first failure is kept in a buffer of the caller as one line. What these
 * functions create tracks no times, so that equal content gives equal bytes. They return false, or a negative
 * identifier, when HDF5 failed. */
#pragma once

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SB_H5_CAUSE_SIZE = 256 };

/* From here on a failing HDF5 call leaves its cause in `cause` if that is empty, until the next watch; NULL: nowhere.
 * HDF5's own printing is off from the first call on. */
bool sb_h5_watch(char cause[SB_H5_CAUSE_SIZE]);

hid_t sb_h5_create_file(const char *path); /* truncates; format of HDF5 1.10 */
hid_t sb_h5_open_file(const char *path);   /* for reading */
/* Opens a group, made with its parents where it is missing; members are kept in the order of their creation. */
hid_t sb_h5_group(hid_t parent, const char *path);
/* Closes any kind of identifier; true for a negative one, which is nothing to close. */
bool sb_h5_close(hid_t id);
/* Whether there is such a link; all but its last part must exist. */
bool sb_h5_exists(hid_t parent, const char *name);
/* Makes `name` below `parent` a second name (hard link) of `target`, a path from the root. */
bool sb_h5_link(hid_t parent, const char *target, const char *name);

/* Datatypes and property lists of the caller to close. */
hid_t sb_h5_text_type(size_t length, H5T_cset_t charset); /* fixed length, padded with NUL */
hid_t sb_h5_flag_type(void);                              /* FALSE and TRUE, as h5py writes bool */
hid_t sb_h5_dataset_plist(void);

/* Attributes. Text is fixed-length. Several values make an array, one a scalar. */
bool sb_h5_put_ascii(hid_t object, const char *name, const char *text);
bool sb_h5_put_text(hid_t object, const char *name, const char *text); /* UTF-8 */
bool sb_h5_put_reals(hid_t object, const char *name, size_t count, const double *values);
bool sb_h5_put_integers(hid_t object, const char *name, size_t count, const int64_t *values);
bool sb_h5_put_flag(hid_t object, const char *name, bool value);
bool sb_h5_put_blank(hid_t object, const char *name); /* a real number that is not there (H5S_NULL) */

/* A contiguous dataset: `count` rows of `width` elements ([count] when width is 0); `type` in memory and in the file.
 */
bool sb_h5_write_array(hid_t parent, const char *name, hid_t type, size_t count, size_t width, const void *data);
/* The same with a unit attribute, fixed-length ASCII as H5MD wants it. */
bool sb_h5_write_quantity(hid_t parent, const char *name, const char *unit, size_t count, size_t width,
                          const double *values);
/* [count] with a unit of our own, UTF-8. */
bool sb_h5_write_curve(hid_t parent, const char *name, const char *unit, size_t count, const double *values);
