/* Events, one line each, on standard error; text or JSON. Secrets and statement text
 * never come here. Safe from any thread: one write per line. */
#ifndef MQ_BASE_LOG_H
#define MQ_BASE_LOG_H

#include <stdbool.h>

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG };
enum log_format { LOG_TEXT, LOG_JSON };

void log_configure(enum log_level level, enum log_format format);
bool log_enabled(enum log_level level);
/* Writes one event. `where` is the stable prefix, e.g. "session 17" or "placement". */
void log_event(enum log_level level, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define log_error(where, ...) log_event(LOG_ERROR, where, __VA_ARGS__)
#define log_warning(where, ...) log_event(LOG_WARNING, where, __VA_ARGS__)
#define log_info(where, ...) log_event(LOG_INFO, where, __VA_ARGS__)
#define log_debug(where, ...)                       \
    do {                                            \
        if (log_enabled(LOG_DEBUG))                 \
            log_event(LOG_DEBUG, where, __VA_ARGS__); \
    } while (0)

#endif
