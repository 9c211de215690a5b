"""How the reading of a file ended."""

import io
import sys
import traceback
import warnings
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple

from edgewise.cli import main
from edgewise.errors import EdgewiseError
from sentences import check_sentence

GOOD = ("result", "sentence")
BAD = ("traceback", "crash", "hang", "memory")


class Outcome(NamedTuple):
    """A word, and what was said."""

    word: str
    said: str = ""


def read(use, path):
    """Use a file, and return how that ended."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            use(path)
        except EdgewiseError as error:
            return _judge(str(error))
        except MemoryError:
            return Outcome("memory", traceback.format_exc())
        except (Exception, SystemExit):
            return Outcome("traceback", traceback.format_exc())
    return Outcome("result")


def _judge(message):
    """Return the outcome of a refusal, which must be one sentence."""
    if "malloc" in message:
        return Outcome("memory", message)
    try:
        return Outcome("sentence", check_sentence(message))
    except AssertionError:
        return Outcome("traceback", f"This is no sentence: {message!r}")


def run(command, path):
    """Run a command on a file, and return how that ended."""

    def use(path):
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        arguments, sys.argv = sys.argv, ["edgewise", *map(str, command(path, path.parent / "out"))]
        try:
            with redirect_stdout(out), redirect_stderr(err):
                main()
        except SystemExit as end:
            lines = err.buffer.getvalue().decode().splitlines()
            if end.code == 2:
                raise EdgewiseError(lines[-1].removeprefix("edgewise: ")) from end
            if end.code:
                raise
        finally:
            sys.argv = arguments

    return read(use, path)
