"""The command line."""

import sys


def main() -> None:
    """Run ``edgewise``; Ctrl-C ends it quietly even while modules are imported, so that these imports wait for it."""
    try:
        from .calling import call

        code = call()
    except KeyboardInterrupt:
        code = 130  # as in options.py, which is not imported yet
    sys.exit(code)
