/* For memory that we divide by ourselves: under the address sanitizer, bytes that nobody was
 * given, or that were taken back, must not be touched. */
#ifndef MQ_BASE_POISON_H
#define MQ_BASE_POISON_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MQ_POISON
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define MQ_POISON
#endif

#ifdef MQ_POISON
#include <sanitizer/asan_interface.h>
#define POISON(p, size) ASAN_POISON_MEMORY_REGION(p, size)
#define UNPOISON(p, size) ASAN_UNPOISON_MEMORY_REGION(p, size)
#else
#define POISON(p, size) ((void)(p), (void)(size))
#define UNPOISON(p, size) ((void)(p), (void)(size))
#endif

#endif
