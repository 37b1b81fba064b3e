/* What a statement does to LAST_INSERT_ID(), as far as its answer tells. An OK packet's insert
 * id is also that of a row which the client has numbered, or which ON DUPLICATE KEY UPDATE has
 * met; and rows that INSERT … RETURNING answers with come without any. */
#ifndef MQ_ROUTING_INSERT_ID_H
#define MQ_ROUTING_INSERT_ID_H

#include "routing/route.h"

enum insert_id_effect {
    INSERT_ID_KEPT,   /* it is as before */
    INSERT_ID_TOLD,   /* it is the insert id of the OK packet */
    INSERT_ID_HIDDEN, /* only the server's session knows */
};

/* How a statement was answered. */
struct insert_outcome {
    bool failed, has_rows;
    bool found_rows; /* CLIENT_FOUND_ROWS: a row that was met and left alone counts */
    uint64_t affected, insert_id;
    bool may_be_given; /* by the client, as far as its text tells */
};

enum insert_id_effect insert_id_effect(const struct template *t, enum counters counters,
                                       const struct insert_outcome *outcome);
/* May a success of it hide the effect? */
bool insert_id_may_hide(const struct template *t, enum counters counters);

#endif
