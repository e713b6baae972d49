/* SPDX-License-Identifier: GPL-3.0-or-later */
/* XXH3-128 (Collet, xxHash 0.8) and libgcrypt's SHA-256 behind a small interface; see digest.h. */
#include "cases/common/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <gcrypt.h>
#include <string.h>
#include <unistd.h>
#define XXH_STATIC_LINKING_ONLY /* for the members of the state */
#include <xxhash.h>

#include "base/allocate.h"
#include "cases/common/durable.h"

static void put_hex(const unsigned char *bytes, size_t size, char *hex)
{
  for (size_t i = 0; i < 2 * size; ++i) hex[i] = "0123456789abcdef"[i % 2 == 0 ? bytes[i / 2] >> 4 : bytes[i / 2] & 15];
  hex[2 * size] = '\0';
}

sb_digest *sb_digest_create(void)
{
  sb_digest *digest = sb_insist(XXH3_createState());
  (void)XXH3_128bits_reset(digest); /* fails only for NULL */
  return digest;
}

void sb_digest_destroy(sb_digest **digest)
{
  XXH3_freeState(*digest);
  *digest = NULL;
}

void sb_digest_bytes(sb_digest *digest, size_t size, const void *bytes)
{
  /* fails only for a NULL state or input, which create and the callers exclude */
  if (size > 0) (void)XXH3_128bits_update(digest, bytes, size);
}

void sb_digest_reals(sb_digest *digest, size_t count, const double *values)
{
  sb_digest_bytes(digest, count * sizeof *values, values);
}

void sb_digest_integer(sb_digest *digest, int64_t value) { sb_digest_bytes(digest, sizeof value, &value); }

void sb_digest_text(sb_digest *digest, const char *text)
{
  const size_t length = text ? strlen(text) : 0;
  sb_digest_integer(digest, (int64_t)length);
  sb_digest_bytes(digest, length, text);
}

void sb_digest_hex(const sb_digest *digest, char hex[SB_DIGEST_LENGTH + 1])
{
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(digest));
  put_hex(canonical.digest, sizeof canonical.digest, hex);
}

void sb_digest_save(const sb_digest *digest, size_t *size, void *bytes)
{
  *size = sizeof *digest;
  if (bytes) memcpy(bytes, digest, sizeof *digest);
}

void sb_digest_restore(sb_digest *digest, const void *bytes)
{
  const unsigned char *secret = digest->extSecret; /* of the library, at another place in every process */
  memcpy(digest, bytes, sizeof *digest);
  digest->extSecret = secret;
}

void sb_digest_of_text(const char *text, char hex[SB_DIGEST_LENGTH + 1])
{
  SB_ENDED_BY(sb_digest_destroy) sb_digest *digest = sb_digest_create();
  sb_digest_text(digest, text);
  sb_digest_hex(digest, hex);
}

static void start_gcrypt(void)
{
  if (gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P)) return;
  gcry_check_version(NULL);
  gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
  gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
}

void sb_sha256(const void *bytes, size_t size, char hex[SB_SHA256_HEX + 1])
{
  unsigned char digest[SB_SHA256_HEX / 2];
  start_gcrypt();
  gcry_md_hash_buffer(GCRY_MD_SHA256, digest, bytes, size);
  put_hex(digest, sizeof digest, hex);
}

bool sb_sha256_file(const char *path, char hex[SB_SHA256_HEX + 1])
{
  enum { CHUNK = 1 << 16 };
  gcry_md_hd_t                    digest;
  ssize_t                         got;
  SB_ENDED_BY(sb_close) const int file = sb_open(path, O_RDONLY);
  SB_OWNED char                  *chunk = sb_allocate(CHUNK, 1);
  if (file < 0) return false;
  start_gcrypt();
  if (gcry_md_open(&digest, GCRY_MD_SHA256, 0) != 0) {
    errno = ENOMEM;
    return false;
  }
  while ((got = TEMP_FAILURE_RETRY(read(file, chunk, CHUNK))) > 0) gcry_md_write(digest, chunk, (size_t)got);
  put_hex(gcry_md_read(digest, GCRY_MD_SHA256), SB_SHA256_HEX / 2, hex);
  gcry_md_close(digest);
  return got == 0;
}

uint32_t sb_crc32(const void *bytes, size_t size)
{
  unsigned char sum[4];
  start_gcrypt();
  gcry_md_hash_buffer(GCRY_MD_CRC32, sum, bytes, size);
  return (uint32_t)sum[0] << 24 | (uint32_t)sum[1] << 16 | (uint32_t)sum[2] << 8 | sum[3];
}
