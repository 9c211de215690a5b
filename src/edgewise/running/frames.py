"""Arrays and numbers on disk, one frame after another in a file that only grows.

A frame has a checksum of its own. So a frame that was being written when the machine went down is told from the whole
ones before it, and nothing in it is believed. Nothing in a frame is code.

    8 bytes   MAGIC
    8 bytes   length of the content, little-endian
    32 bytes  SHA-256 of the content
    content   4 bytes, the length of a JSON text; that text; and the bytes of all arrays that it lists
"""

import errno
import hashlib
import json
import os
import struct
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from edgewise.errors import StorageError
from edgewise.files import writing
from edgewise.wording import quote

MAGIC = b"EDGEWIS1"
HEAD = struct.Struct("<8sQ32s")
TEXT = struct.Struct("<I")


class Frame(NamedTuple):
    """Arrays by name, and what else JSON can hold."""

    arrays: dict[str, np.ndarray]
    numbers: dict[str, Any]


def encode(frame: Frame) -> bytes:
    """Return a frame as bytes, its head included."""
    listed = [[name, _describe(array.dtype), array.shape] for name, array in frame.arrays.items()]
    text = json.dumps({"arrays": listed, "numbers": frame.numbers}).encode()
    content = b"".join([TEXT.pack(len(text)), text, *(array.tobytes() for array in frame.arrays.values())])
    return HEAD.pack(MAGIC, len(content), hashlib.sha256(content).digest()) + content


def decode(content: bytes) -> Frame:
    """Return the frame with a content.

    Raises
    ------
    ValueError
        If it is none.
    """
    (length,) = TEXT.unpack_from(content)
    about = json.loads(content[TEXT.size : TEXT.size + length])
    at = TEXT.size + length
    arrays = {}
    for name, described, shape in about["arrays"]:
        dtype = _read_type(described)
        size = dtype.itemsize
        for extent in shape:
            if not isinstance(extent, int) or extent < 0:
                raise ValueError("a shape is made of whole numbers")
            size *= extent
        if at + size > len(content):
            raise ValueError("an array is longer than the frame")
        arrays[str(name)] = np.frombuffer(content[at : at + size], dtype).reshape(shape).copy()
        at += size
    if at != len(content) or not isinstance(about["numbers"], dict):
        raise ValueError("a frame has arrays and numbers, and nothing else")
    return Frame(arrays, about["numbers"])


def _describe(dtype: np.dtype[Any]) -> Any:
    return dtype.str if dtype.names is None else dtype.descr


def _read_type(described: Any) -> np.dtype[Any]:
    """Return a type of plain numbers or text, or records of them."""
    if not isinstance(described, str):
        described = [(str(name), str(kind), *map(tuple, more)) for name, kind, *more in described]
    dtype: np.dtype[Any] = np.dtype(described)
    if dtype.hasobject or dtype.itemsize == 0:
        raise ValueError("an array holds plain numbers or text")
    return dtype


class FrameFile:
    """A file to add frames to.

    Parameters
    ----------
    path
        The file, which is made if there is none.
    length
        How many bytes of it are whole frames; what follows them is cut off.
    """

    def __init__(self, path: Path, length: int = 0) -> None:
        self.path = path
        self._length = length
        with writing(path):
            self._file = path.open("r+b" if path.exists() else "w+b")
            try:
                self._file.truncate(length)
                sync_directory(path.parent)
            except BaseException:
                self._file.close()
                raise

    def append(self, frame: Frame) -> None:
        """Write a frame, and see it on the disk; if it cannot be written, the frames before it remain."""
        encoded = encode(frame)
        with writing(self.path):
            try:
                self._file.seek(self._length)
                self._file.write(encoded)
                self._file.flush()
                os.fsync(self._file.fileno())
            except OSError:
                self._cut()
                raise
            if os.fstat(self._file.fileno()).st_nlink == 0:
                raise FileNotFoundError(errno.ENOENT, "the file was removed")
        self._length += len(encoded)

    def _cut(self) -> None:
        """Cut off what was written of a frame; where even that fails, its checksum tells it."""
        with suppress(OSError):
            self._file.close()
        with suppress(OSError):
            self._file = self.path.open("r+b")
            self._file.truncate(self._length)

    def close(self) -> None:
        """Close the file; all that is to be kept of it is on the disk already."""
        with suppress(OSError):
            self._file.close()


def read_frames(path: Path) -> tuple[list[Frame], int, bool]:
    """Return the whole frames of a file, how many bytes they take, and whether something else follows them."""
    frames: list[Frame] = []
    length = 0
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            while length + HEAD.size <= size:
                magic, extent, digest = HEAD.unpack(file.read(HEAD.size))
                if magic != MAGIC or length + HEAD.size + extent > size:
                    break
                content = file.read(extent)
                if hashlib.sha256(content).digest() != digest:
                    break
                frames.append(decode(content))
                length += HEAD.size + extent
    except FileNotFoundError:
        return [], 0, False
    except OSError as error:
        raise StorageError(f"The file {quote(str(path))} cannot be read ({error.strerror}).") from error
    except (ValueError, KeyError, TypeError, struct.error, RecursionError, OverflowError) as error:
        raise StorageError(
            f"The file {quote(str(path))} is not part of a checkpoint, though its checksums are right: begin the run "
            "anew."
        ) from error
    return frames, length, length < size


def replace_file(path: Path, content: bytes) -> None:
    """Let a file have some content, all of it or, if the machine goes down meanwhile, what it had before."""
    part = path.with_name(path.name + ".part")
    with writing(path):
        try:
            with part.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        except OSError:
            with suppress(OSError):
                part.unlink()
            raise
        sync_directory(path.parent)


def sync_directory(path: Path) -> None:
    """See the names of new files on the disk, on systems that keep them apart from the files."""
    if os.name == "posix":
        directory = os.open(path, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
