"""Every statement of a small grammar, up to a size."""


def enumerate_units(mysql):
    return iter(())
