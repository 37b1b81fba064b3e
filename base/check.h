/* Assertions about our own state, never about what a peer sent. They stay in debug and
 * sanitizer builds; a release build compiles them away. */
#ifndef MQ_BASE_CHECK_H
#define MQ_BASE_CHECK_H

#ifdef MQ_CHECKS
#define CHECK(condition) \
    ((condition) ? (void)0 : check_failed(#condition, __FILE__, __LINE__, __func__))
#else
#define CHECK(condition) ((void)sizeof((condition) ? 1 : 0))
#endif

_Noreturn void check_failed(const char *condition, const char *file, int line, const char *func);

#endif
