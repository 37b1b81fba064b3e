"""What a refusal by mqgate looks like to a client."""

import contextlib

import pymysql
import pytest

from rawmysql import ServerError


class Refusal:
    """Filled in when the block ends: errno and message of the error."""

    errno = None
    message = None


@contextlib.contextmanager
def refused(code=None, errno=None):
    """The block must fail with an error that mqgate made (`MQ3001`), or with this errno."""
    seen = Refusal()
    with pytest.raises((pymysql.err.MySQLError, ServerError)) as caught:
        yield seen
    error = caught.value
    if isinstance(error, ServerError):
        seen.errno, seen.message = error.errno, error.message
    else:
        seen.errno, seen.message = error.args
    if code:
        assert seen.message.startswith(f"MQ{code}:"), seen.message
    if errno:
        assert seen.errno == errno, f"{seen.errno}: {seen.message}"
