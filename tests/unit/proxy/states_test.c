/* The tables of states and moves: every state can be reached and left, and ends. */
#include "tests/unit/proxy/proxy_test.h"

enum {
#define SESSION_STATE(name, summary) S_##name,
#include "proxy/states.def"
#undef SESSION_STATE
    S_COUNT
};

struct move {
    int from, to;
};

static const struct move session_moves[] = {
#define SESSION_MOVE(from, to) { S_##from, S_##to },
#include "proxy/states.def"
#undef SESSION_MOVE
};
static const struct move backend_moves[] = {
#define BACKEND_MOVE(from, to) { BACKEND_##from, BACKEND_##to },
#include "proxy/states.def"
#undef BACKEND_MOVE
};

/* How many states can be reached from one, itself included. */
static int reached(const struct move *moves, size_t count, int from)
{
    unsigned seen = 1u << from, before;
    do {
        before = seen;
        for (size_t i = 0; i < count; i++)
            if (seen & 1u << moves[i].from)
                seen |= 1u << moves[i].to;
    } while (seen != before);
    return __builtin_popcount(seen);
}

static void check(const struct move *moves, size_t count, int states, int first, int last)
{
    assert_int_equal(reached(moves, count, first), states);
    assert_int_equal(reached(moves, count, last), 1);
    for (int s = 0; s < states; s++) {
        bool ends = s == last;
        for (size_t i = 0; i < count; i++)
            ends |= moves[i].from == s && moves[i].to == last;
        assert_true(ends); /* whatever it does, it can end at once */
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            assert_false(moves[i].from == moves[j].from && moves[i].to == moves[j].to);
}

static void sessions(void **state)
{
    (void)state;
    check(session_moves, COUNT(session_moves), S_COUNT, S_LOGIN, S_CLOSING);
}

static void backends(void **state)
{
    (void)state;
    check(backend_moves, COUNT(backend_moves), BACKEND_STATE_COUNT, BACKEND_CONNECTING,
          BACKEND_DEAD);
}

static void names(void **state)
{
    (void)state;
    assert_string_equal(backend_state_name(BACKEND_CLEANING), "CLEANING");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sessions),
        cmocka_unit_test(backends),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
