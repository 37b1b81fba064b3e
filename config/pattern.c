#include "config/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/memory.h"

/* Whatever a client sends is looked at in a bounded number of steps: the longest identifier has 255
 * characters of four bytes. */
enum { VALUE_MAX = 1020, STEPS_MAX = 20000, DEPTH_MAX = 500, HEAP_KIB_MAX = 256 };

struct tenant_pattern {
    pcre2_code *code;
    pcre2_match_context *limits;
};

static enum err_code fault(struct err *reterr, int number, size_t offset)
{
    unsigned char text[128];
    pcre2_get_error_message(number, text, sizeof text);
    return err_set(reterr, MQ_CONFIG_INVALID, "%s at offset %zu", (const char *)text, offset);
}

static enum err_code check_groups(const pcre2_code *code, struct err *reterr)
{
    uint32_t groups = 0;
    pcre2_pattern_info(code, PCRE2_INFO_CAPTURECOUNT, &groups);
    return groups == 1 ? MQ_OK
                       : err_set(reterr, MQ_CONFIG_INVALID,
                                 "it has %u groups; exactly one in parentheses names the tenant, "
                                 "others are written (?:…)",
                                 (unsigned)groups);
}

static pcre2_match_context *make_limits(void)
{
    pcre2_match_context *limits = pcre2_match_context_create(NULL);
    if (!limits)
        return NULL;
    pcre2_set_match_limit(limits, STEPS_MAX);
    pcre2_set_depth_limit(limits, DEPTH_MAX);
    pcre2_set_heap_limit(limits, HEAP_KIB_MAX);
    return limits;
}

enum err_code tenant_pattern_create(const char *regex, struct tenant_pattern **ret,
                                    struct err *reterr)
{
    int number;
    size_t offset;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)regex, PCRE2_ZERO_TERMINATED,
                                     PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C,
                                     &number, &offset, NULL);
    if (!code)
        return fault(reterr, number, offset);
    struct tenant_pattern *p = mem_alloc(sizeof *p);
    *p = (struct tenant_pattern){ .code = code, .limits = make_limits() };
    enum err_code err = check_groups(code, reterr);
    if (!err && !p->limits)
        err = err_set(reterr, MQ_CONFIG_INVALID, "there is no memory for it");
    if (err) {
        tenant_pattern_destroy(p);
        return err;
    }
    pcre2_jit_compile(code, PCRE2_JIT_COMPLETE); /* without it, it is interpreted */
    *ret = p;
    return MQ_OK;
}

void tenant_pattern_destroy(struct tenant_pattern *p)
{
    if (!p)
        return;
    pcre2_match_context_free(p->limits);
    pcre2_code_free(p->code);
    mem_free(p);
}

static enum pattern_result read_group(struct slice value, pcre2_match_data *match,
                                      struct slice *ret)
{
    const size_t *at = pcre2_get_ovector_pointer(match);
    if (at[2] == PCRE2_UNSET || at[3] < at[2])
        return PATTERN_ABSENT;
    *ret = slice_of(value.data + at[2], at[3] - at[2]);
    return PATTERN_FOUND;
}

enum pattern_result tenant_pattern_find(const struct tenant_pattern *p, struct slice value,
                                        struct slice *ret)
{
    pcre2_match_data *match = value.len <= VALUE_MAX ? pcre2_match_data_create(2, NULL) : NULL;
    if (!match)
        return PATTERN_FAILED;
    const char *text = value.len ? value.data : "";
    int found = pcre2_match(p->code, (PCRE2_SPTR)text, value.len, 0, 0, match, p->limits);
    enum pattern_result result = found == PCRE2_ERROR_NOMATCH ? PATTERN_ABSENT
                                 : found < 0                  ? PATTERN_FAILED
                                 : found < 2                  ? PATTERN_ABSENT
                                                              : read_group(value, match, ret);
    pcre2_match_data_free(match);
    return result;
}
