/* Messages between threads: all arrive, in each sender's order, and none is left behind. */
#include "tests/unit/proxy/proxy_test.h"

#include <poll.h>

#include "proxy/mailbox.h"

enum { SENDERS = 4, EACH = 5000 };

struct note {
    struct message message;
    int sender, number;
};

struct box {
    struct mailbox mailbox;
    int next[SENDERS];
    int delivered;
};

struct sender {
    pthread_t thread;
    struct box *box;
    int number;
};

static void deliver(struct message *m, void *context)
{
    struct note *n = (struct note *)m;
    struct box *b = context;
    assert_int_equal(n->number, b->next[n->sender]++);
    b->delivered++;
    mem_free(n);
}

static void send_note(struct box *b, int sender, int number)
{
    struct note *n = mem_new(struct note);
    n->message.deliver = deliver;
    n->sender = sender;
    n->number = number;
    mailbox_post(&b->mailbox, &n->message);
}

static void *body(void *context)
{
    struct sender *s = context;
    for (int i = 0; i < EACH; i++)
        send_note(s->box, s->number, i);
    return NULL;
}

static void across_threads(void **state)
{
    (void)state;
    struct box b = { .delivered = 0 };
    struct sender senders[SENDERS];
    assert_true(mailbox_init(&b.mailbox));
    for (int i = 0; i < SENDERS; i++) {
        senders[i] = (struct sender){ .box = &b, .number = i };
        assert_int_equal(pthread_create(&senders[i].thread, NULL, body, &senders[i]), 0);
    }
    while (b.delivered < SENDERS * EACH) {
        struct pollfd wake = { .fd = b.mailbox.wake, .events = POLLIN };
        assert_int_equal(poll(&wake, 1, 60000), 1);
        mailbox_deliver(&b.mailbox, &b);
    }
    for (int i = 0; i < SENDERS; i++)
        pthread_join(senders[i].thread, NULL);
    mailbox_fini(&b.mailbox, &b);
    assert_int_equal(b.delivered, SENDERS * EACH);
}

static void what_waits_at_the_end_is_delivered(void **state)
{
    (void)state;
    struct box b = { .delivered = 0 };
    assert_true(mailbox_init(&b.mailbox));
    for (int i = 0; i < 3; i++)
        send_note(&b, 0, i);
    mailbox_fini(&b.mailbox, &b);
    assert_int_equal(b.delivered, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(across_threads),
        cmocka_unit_test(what_waits_at_the_end_is_delivered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
