"""Files that appear under their name only when they are complete."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from edgewise.errors import ArgumentError, StorageError
from edgewise.wording import quote


def as_path(name: str, given: object, kind: str = "directory") -> Path:
    """Return an argument as a path, or refuse what is none.

    Examples
    --------
    >>> as_path("out", "results").name
    'results'
    """
    if not isinstance(given, str | os.PathLike) or not os.fspath(given):
        raise ArgumentError(f"{name} must be the path of a {kind}, but {quote(given)} was given.")
    return Path(given)


def part_of(path: Path) -> Path:
    """Return the name of a file while it is written, having checked that it can be."""
    shown = quote(str(path))
    if path.is_dir():
        raise StorageError(f"Nothing can be written to {shown}, which is a directory: give the name of a file.")
    if not path.parent.is_dir():
        raise StorageError(f"Nothing can be written to {shown}: make the directory first.")
    return path.with_name(path.name + ".part")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn what the operating system says while a file is written into a sentence."""
    try:
        yield
    except StorageError:
        raise
    except OSError as error:
        reason = str(error) if error.errno is None else os.strerror(error.errno)
        raise StorageError(f"Nothing can be written to {quote(str(path))} ({' '.join(reason.split())}).") from error


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """Provide the path of a file to write, which takes its name when it is complete."""
    with writing(path):
        unfinished = part_of(path)
        try:
            yield unfinished
            unfinished.replace(path)
        finally:
            with suppress(OSError):
                unfinished.unlink()
