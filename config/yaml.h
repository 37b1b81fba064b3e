/* YAML text to a tree of nodes. The only place that knows libyaml. */
#ifndef MQ_CONFIG_YAML_H
#define MQ_CONFIG_YAML_H

#include "config/config.h"
#include "config/node.h"

/* The root map of one document (an empty text gives an empty map), or NULL when the text is
 * no YAML. Faults, among them duplicate keys and aliases, go to out. */
struct node *yaml_load(struct slice text, struct arena *a, struct diagnostics *out);

#endif
