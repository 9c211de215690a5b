"""One call of the command: its errors and warnings as sentences, and its exit code."""

import gc
import io
import sys
import warnings
from collections.abc import Callable

from edgewise.errors import ConvergenceWarning, EdgewiseError, EdgewiseWarning, UnusualDataWarning
from edgewise.wording import UNTRUSTED, printable

from .app import app
from .translating import translate

OBJECTS_BETWEEN_COLLECTIONS = 50_000
"""Python looks for garbage after every 700 new objects, over and over among those of all modules that were imported,
which takes a tenth of a short run. So many take a few megabytes."""


def call() -> int | None:
    """Run a command and return its exit code: an error the user can mend is one sentence on standard error, and 2."""
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A name that the terminal cannot show must not end a run.
            stream.reconfigure(errors="replace")
    warnings.showwarning = _show_each_once()
    warnings.simplefilter("always", EdgewiseWarning)
    # The commands say at their end what is unusual, and what the verdict is.
    warnings.simplefilter("ignore", UnusualDataWarning)
    warnings.filterwarnings("ignore", UNTRUSTED, ConvergenceWarning)
    try:
        code: int | None = app(args=sys.argv[1:] or ["--help"], prog_name="edgewise", standalone_mode=False)
    except EdgewiseError as error:
        code = _refuse(translate(str(error)))
    except Exception as error:
        # Typer's own complaints about arguments: the name of their class depends on its version.
        explain = getattr(error, "format_message", None)
        if explain is None:
            raise
        context = getattr(error, "ctx", None)
        command = "edgewise" if context is None else context.command_path
        code = _refuse(f"{' '.join(explain().split()).rstrip('.')}; see {command} --help.")
    # Nothing is to be tidied up any more. To look through all that was imported for garbage takes a third of a second.
    gc.freeze()
    return code


def _refuse(sentence: str) -> int:
    sys.stderr.write(f"edgewise: {printable(sentence)}\n")
    return 2


def _show_each_once() -> Callable[..., None]:
    """Return what shows warnings: a file that is read for its data and for the checkpoint warns twice."""
    shown: set[str] = set()

    def show(message: Warning | str, *_: object, **__: object) -> None:
        sentence = printable(translate(str(message)))
        if sentence not in shown:
            shown.add(sentence)
            sys.stderr.write(f"edgewise: note: {sentence}\n")

    return show
