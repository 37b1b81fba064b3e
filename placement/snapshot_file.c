#define _DEFAULT_SOURCE
#include "placement/snapshot_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/memory.h"

enum { ROW_OVERHEAD = 2 + 1 + 1 + 8, FILE_SIZE_MAX = 1 << 30 };

/* The last byte is the format's version. */
static const char magic[8] = { 'M', 'Q', 'T', 'E', 'N', 'N', 'T', '1' };

struct header {
    struct snapshot_info info;
    uint64_t rows, body_len, body_sum;
};

static enum err_code bad(struct err *reterr, const char *why)
{
    return err_set(reterr, MQ_VINDEX_TABLE_UNAVAILABLE, "the tenant snapshot %s", why);
}

static enum err_code bad_file(struct err *reterr, const char *path, const char *what)
{
    return err_set(reterr, MQ_VINDEX_TABLE_UNAVAILABLE, "%s: %s: %s", path, what, strerror(errno));
}

uint64_t snapshot_source(const struct config *config)
{
    const struct vindex_table_config *v = &config->vindex_table;
    struct buf name;
    buf_init(&name);
    buf_printf(&name, "%s/%s/%s", config->keyspace, v->database, v->table);
    uint64_t sum = XXH64(buf_begin(&name), buf_len(&name), 0);
    buf_fini(&name);
    return sum;
}

/* --- the format ---------------------------------------------------------------------- */

static void put_u64(uint8_t *to, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get_u64(const uint8_t *from)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++)
        value |= (uint64_t)from[i] << 8 * i;
    return value;
}

static void header_encode(const struct header *h, uint8_t to[SNAPSHOT_HEADER_SIZE])
{
    memcpy(to, magic, sizeof magic);
    put_u64(to + 8, h->info.source);
    put_u64(to + 16, h->info.version);
    put_u64(to + 24, h->info.confirmed_wall_ms);
    put_u64(to + 32, h->rows);
    put_u64(to + 40, h->body_len);
    put_u64(to + 48, h->body_sum);
    put_u64(to + 56, XXH64(to, 56, 0));
}

static enum err_code header_decode(struct slice bytes, uint64_t source, struct header *ret,
                                   struct err *reterr)
{
    const uint8_t *from = (const uint8_t *)bytes.data;
    if (bytes.len < SNAPSHOT_HEADER_SIZE || memcmp(from, magic, sizeof magic) != 0)
        return bad(reterr, "is no snapshot of tenants");
    if (get_u64(from + 56) != XXH64(from, 56, 0))
        return bad(reterr, "is damaged");
    *ret = (struct header){
        .info = { .source = get_u64(from + 8),
                  .version = get_u64(from + 16),
                  .confirmed_wall_ms = get_u64(from + 24) },
        .rows = get_u64(from + 32),
        .body_len = get_u64(from + 40),
        .body_sum = get_u64(from + 48),
    };
    if (ret->info.source != source)
        return bad(reterr, "is of another tenant vindex table");
    return MQ_OK;
}

static void row_encode(const struct tenant *t, struct buf *out)
{
    uint8_t version[8];
    put_u64(version, t->version);
    buf_append_byte(out, (uint8_t)t->name_len);
    buf_append_byte(out, (uint8_t)(t->name_len >> 8));
    buf_append(out, t->name, t->name_len);
    buf_append_byte(out, t->state);
    struct keyspace_id id = tenant_id(t);
    buf_append_byte(out, id.len);
    buf_append(out, id.bytes, id.len);
    buf_append(out, version, sizeof version);
}

/* Takes one record off the front; false when there is none in full. */
static bool row_decode(struct slice *rest, struct vindex_row *ret)
{
    const uint8_t *from = (const uint8_t *)rest->data;
    if (rest->len < ROW_OVERHEAD)
        return false;
    size_t name_len = (size_t)from[0] | (size_t)from[1] << 8;
    if (name_len == 0 || rest->len - ROW_OVERHEAD < name_len)
        return false;
    from += 2;
    *ret = (struct vindex_row){ .tenant = slice_of(from, name_len) };
    from += name_len;
    uint8_t state = *from++, id_len = *from++;
    if (state > TENANT_RETIRED || rest->len - ROW_OVERHEAD - name_len < id_len)
        return false;
    ret->state = (enum tenant_state)state;
    ret->id.len = id_len;
    memcpy(ret->id.bytes, from, id_len);
    ret->version = get_u64(from + id_len);
    size_t used = ROW_OVERHEAD + name_len + id_len;
    *rest = slice_of(rest->data + used, rest->len - used);
    return true;
}

enum err_code snapshot_parse(struct slice bytes, struct snapshot_info *info, vindex_row_seen *seen,
                             void *context, struct err *reterr)
{
    struct header h = { 0 };
    enum err_code code = header_decode(bytes, info->source, &h, reterr);
    if (code)
        return code;
    struct slice rest =
        slice_of(bytes.data + SNAPSHOT_HEADER_SIZE, bytes.len - SNAPSHOT_HEADER_SIZE);
    if (rest.len != h.body_len || XXH64(rest.data, rest.len, 0) != h.body_sum)
        return bad(reterr, "is incomplete or damaged");
    struct vindex_row row;
    for (uint64_t i = 0; i < h.rows; i++) {
        if (!row_decode(&rest, &row))
            return bad(reterr, "has a malformed row");
        if (!seen(context, &row))
            return bad(reterr, "was not read to its end");
    }
    if (rest.len > 0)
        return bad(reterr, "has more rows than it says");
    *info = h.info;
    return MQ_OK;
}

/* --- the file ------------------------------------------------------------------------ */

static void encode(const struct tenant_map *map, const struct snapshot_info *info, struct buf *out)
{
    struct header h = { .info = *info };
    buf_reserve(out, SNAPSHOT_HEADER_SIZE);
    buf_commit(out, SNAPSHOT_HEADER_SIZE);
    for (size_t i = 0; i < tenant_map_count(map); i++) {
        const struct tenant *t = tenant_map_at(map, i);
        if (!t->placed)
            continue;
        row_encode(t, out);
        h.rows++;
    }
    h.body_len = buf_len(out) - SNAPSHOT_HEADER_SIZE;
    h.body_sum = XXH64(buf_begin(out) + SNAPSHOT_HEADER_SIZE, h.body_len, 0);
    header_encode(&h, buf_begin(out));
}

static bool write_all(int fd, const uint8_t *from, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, from, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        from += n;
        len -= (size_t)n;
    }
    return true;
}

/* A new file beside the old one, complete on disk before it takes its name. */
static enum err_code replace(const char *path, struct slice contents, struct err *reterr)
{
    struct buf name;
    buf_init(&name);
    buf_printf(&name, "%s.XXXXXX", path);
    buf_cstr(&name);
    char *partial = (char *)buf_begin(&name);
    enum err_code code = MQ_OK;
    int fd = mkstemp(partial);
    if (fd < 0) {
        code = bad_file(reterr, path, "cannot create a file beside it");
    } else {
        bool written =
            write_all(fd, (const uint8_t *)contents.data, contents.len) && fsync(fd) == 0;
        if (close(fd) != 0 || !written || rename(partial, path) != 0) {
            code = bad_file(reterr, path, "cannot write");
            unlink(partial);
        }
    }
    buf_fini(&name);
    return code;
}

enum err_code snapshot_file_write(const char *path, const struct tenant_map *map,
                                  const struct snapshot_info *info, struct err *reterr)
{
    struct buf out;
    buf_init(&out);
    encode(map, info, &out);
    enum err_code code = replace(path, buf_slice(&out), reterr);
    buf_fini(&out);
    return code;
}

enum err_code snapshot_file_confirm(const char *path, const struct snapshot_info *info,
                                    struct err *reterr)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return bad_file(reterr, path, "cannot open");
    uint8_t bytes[SNAPSHOT_HEADER_SIZE];
    ssize_t n = pread(fd, bytes, sizeof bytes, 0);
    struct header h;
    enum err_code code =
        header_decode(slice_of(bytes, n < 0 ? 0 : (size_t)n), info->source, &h, reterr);
    if (!code) {
        h.info = *info;
        header_encode(&h, bytes);
        if (pwrite(fd, bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
            code = bad_file(reterr, path, "cannot write");
    }
    close(fd);
    return code;
}

static bool read_all(int fd, struct buf *out)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return false;
    if (!S_ISREG(status.st_mode) || status.st_size > FILE_SIZE_MAX) {
        errno = EFBIG;
        return false;
    }
    for (;;) {
        ssize_t n =
            read(fd, buf_reserve(out, (size_t)status.st_size + 1), (size_t)status.st_size + 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n == 0;
        buf_commit(out, (size_t)n);
    }
}

enum err_code snapshot_file_read(const char *path, struct snapshot_info *info,
                                 vindex_row_seen *seen, void *context, struct err *reterr)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return bad_file(reterr, path, "cannot open");
    struct buf bytes;
    buf_init(&bytes);
    enum err_code code = read_all(fd, &bytes)
                             ? snapshot_parse(buf_slice(&bytes), info, seen, context, reterr)
                             : bad_file(reterr, path, "cannot read");
    buf_fini(&bytes);
    close(fd);
    return code;
}
