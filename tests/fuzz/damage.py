"""Changes that can be made to any file, byte by byte, and values that nobody expects."""

import math

NUMBERS = (0, -1, 1, 2, 7, 255, 2**31 - 1, -(2**31), 2**34, 2**53, 2**63, 2**200, 0.5, -0.5, 1e-320, 1e308, -1e308)
NOT_NUMBERS = (math.nan, math.inf, -math.inf)

DEEP = 800
"""Lists within lists, as deep as JSON and Python can just write them."""

WORDS = (
    "", " ", "\t", "a", "NaN", "nan", "None", "NA", "null", "true", "-", "0", "1e999", "1_000", "=1+1", "'", '"', '""',
    ",", ";", "\n", "\r\n", "\x00", "a\x00", "\x00a", "\x1b[31m", "\u200b", "\u202e", "\ufeff", "\ud800", "é",
    "e\u0301", "🧬", "<b>", "</script>", "{{ 7 * 7 }}", "%s%n", "../../etc", "__class__", "source", "target", "level_0",
    "index", "X" * 5000,
)  # fmt: skip


def choose(rng, items):
    """Return one of the items."""
    return items[int(rng.integers(len(items)))]


def strange_value(rng, depth=2):
    """Return something that JSON can hold."""
    kind = int(rng.integers(7 if depth else 4))
    if kind == 0:
        return choose(rng, (None, True, False))
    if kind == 1:
        return choose(rng, NUMBERS)
    if kind == 2:
        return choose(rng, NOT_NUMBERS)
    if kind == 3:
        return choose(rng, WORDS)
    if kind == 4:
        return [strange_value(rng, depth - 1) for _ in range(int(rng.integers(4)))]
    if kind == 5:
        return {choose(rng, WORDS): strange_value(rng, depth - 1) for _ in range(int(rng.integers(4)))}
    return nested(int(rng.integers(2, DEEP)))


def nested(depth):
    """Return a list in a list in a list."""
    value = []
    for _ in range(depth):
        value = [value]
    return value


def places(value):
    """Yield all dictionaries and lists in a value, each with its keys."""
    for key, item in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, key
        if isinstance(item, dict | list):
            yield from places(item)


def damage(content, rng):
    """Return bytes of which some were changed, as a bad disk, a cut connection or a careless editor would."""
    changed = bytearray(content)
    place, other = (int(rng.integers(len(changed) + 1)) for _ in range(2))
    first, last = sorted((place, other))
    way = int(rng.integers(7))
    if way == 0 and changed:
        for at in rng.integers(len(changed), size=int(rng.integers(1, 9))):
            changed[at] ^= 1 << int(rng.integers(8))
    elif way == 1:
        del changed[place:]
    elif way == 2:
        changed[place:place] = rng.bytes(int(rng.integers(1, 20)))
    elif way == 3:
        del changed[first : min(last, first + 50)]
    elif way == 4:
        changed[place:place] = changed[first : min(last, first + 500)]
    elif way == 5:
        changed[first : first + 16] = choose(rng, (b"\0", b"\xff", b"\x7f")) * len(changed[first : first + 16])
    else:
        changed += rng.bytes(int(rng.integers(1, 100)))
    return bytes(changed)
