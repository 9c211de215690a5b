"""A file that only one process at a time can hold, and only one run within it.

The lock ends with the process, however that ends. It does not pass to processes that are forked, which may outlive it.
"""

import errno
import os
import sys
import threading
from pathlib import Path
from typing import IO

from edgewise.errors import StorageError
from edgewise.files import writing
from edgewise.wording import quote

if sys.platform != "win32":
    import fcntl

_held: set[Path] = set()
_guard = threading.Lock()


class Lock:
    """A file that is held until it is closed."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self._path = path
        self._file = file

    def close(self) -> None:
        """Let others have it."""
        with _guard:
            self._file.close()
            _held.discard(self._path)


def hold(path: Path) -> Lock:
    """Make a file, unless it is there, and hold it.

    Raises
    ------
    StorageError
        If somebody else does.
    """
    taken = StorageError(
        f"The checkpoint in {quote(str(path.parent))} is used by another run at this moment: wait for its end, or give "
        "another directory."
    )
    with _guard, writing(path):
        name = Path(os.path.realpath(path))
        # Where one process closes a file, it loses its lock: so that this must not be opened twice.
        if name in _held:
            raise taken
        file = path.open("ab")
        try:
            if sys.platform != "win32":
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EAGAIN):
                file.close()
                raise taken from error
            # Some network file systems have no locks: then it is up to the user.
        _held.add(name)
    return Lock(name, file)
