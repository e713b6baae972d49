/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Digests. Local.
 *
 * XXH3-128 over all recorded values: equal runs have equal digests. Numbers enter by their bits (-0 and 0 differ),
 * texts with their length, so that adjacent texts remain distinct. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SB_DIGEST_LENGTH = 32, SB_SHA256_HEX = 64 }; /* hexadecimal digits */

typedef struct XXH3_state_s sb_digest;

sb_digest *sb_digest_create(void);
void       sb_digest_destroy(sb_digest **digest);

void sb_digest_reals(sb_digest *digest, size_t count, const double *values);
void sb_digest_integer(sb_digest *digest, int64_t value);
void sb_digest_bytes(sb_digest *digest, size_t size, const void *bytes);
void sb_digest_text(sb_digest *digest, const char *text); /* NULL counts as "" */

/* The state of a digest as plain bytes (*size of them, in `bytes` if that is not NULL), and back into a digest. For the
 * same version of xxHash. */
void sb_digest_save(const sb_digest *digest, size_t *size, void *bytes);
void sb_digest_restore(sb_digest *digest, const void *bytes);

/* The digest of one text. */
void sb_digest_of_text(const char *text, char hex[SB_DIGEST_LENGTH + 1]);

/* The digest so far, big-endian hexadecimal; more may be added afterwards. */
void sb_digest_hex(const sb_digest *digest, char hex[SB_DIGEST_LENGTH + 1]);

/* SHA-256 of bytes, and of a file as recorded in the journal, in hexadecimal. False with errno set, no message. */
void sb_sha256(const void *bytes, size_t size, char hex[SB_SHA256_HEX + 1]);
bool sb_sha256_file(const char *path, char hex[SB_SHA256_HEX + 1]);
/* CRC-32 of ISO 3309, as zip archives have it. */
uint32_t sb_crc32(const void *bytes, size_t size);
