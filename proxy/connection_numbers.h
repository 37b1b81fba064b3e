/* Which number the server knows an observed client by: the greeting, which comes before the
 * server is asked, gave it one of mqgate's, and by that one it is killed. One table per worker;
 * the worker writes, anybody reads. */
#ifndef MQ_PROXY_CONNECTION_NUMBERS_H
#define MQ_PROXY_CONNECTION_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

struct connection_numbers;
struct connection_numbers *connection_numbers_create(void);
void connection_numbers_destroy(struct connection_numbers *n);
void connection_numbers_add(struct connection_numbers *n, uint32_t ours, uint32_t servers);
void connection_numbers_remove(struct connection_numbers *n, uint32_t ours);
/* The server's number for ours; false if it is none of ours. Any thread. */
bool connection_numbers_find(struct connection_numbers *n, uint32_t ours, uint32_t *ret_servers);

#endif
