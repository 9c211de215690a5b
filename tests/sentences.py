"""What a message to a user must look like."""

import re


def check_sentence(message):
    """Check that a message is one sentence on one line, and return it."""
    outside_quotes = re.sub(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", "Q", message)
    assert message.strip() == message
    assert "\n" not in message
    assert re.fullmatch(r"[\w(-].*\.", outside_quotes), message
    assert not re.search(r"[.!?]\s", outside_quotes), message
    assert len(message) < 500
    return message
