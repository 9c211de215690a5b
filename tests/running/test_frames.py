"""Frames come back as they were, and whatever happens to a file, nothing but whole frames is read from it."""

import hashlib
import json

import numpy as np
import pytest

import edgewise as ew
from edgewise.running.frames import HEAD, MAGIC, TEXT, Frame, FrameFile, decode, encode, read_frames, replace_file
from sentences import check_sentence

RECORD = np.dtype([("key", np.uint64), ("value", np.float64), ("pair", np.int32, (2,))])

FRAMES = [
    Frame({"numbers": np.arange(3.0)}, {"at": 1}),
    Frame({}, {}),
    Frame({"bits": np.array([True, False]), "text": np.array(["ä", ""])}, {"nested": {"list": [1, None, "x", 0.1]}}),
]


def is_same(one, other):
    return (
        one.numbers == other.numbers
        and list(one.arrays) == list(other.arrays)
        and all(
            array.dtype == other.arrays[name].dtype
            and array.shape == other.arrays[name].shape
            and array.tobytes() == other.arrays[name].tobytes()
            for name, array in one.arrays.items()
        )
    )


def write(path, frames):
    file = FrameFile(path)
    for frame in frames:
        file.append(frame)
    file.close()
    return path.read_bytes()


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.arange(20)[::3],
        np.zeros((0, 5), np.int32),
        np.float64(3.5).reshape(()),
        np.array([np.nan, -0.0, np.inf, 5e-324]),
        np.arange(3, dtype=">i4"),
        np.array([(1, 2.5, (3, 4))], RECORD),
        np.array(["", "longer", "漢"]),
    ],
)
def test_an_array_comes_back_as_it_was(array):
    frame = Frame({"array": array}, {"large": 2**200})
    back = decode(encode(frame)[HEAD.size :])
    assert is_same(back, frame)
    assert back.arrays["array"].flags.writeable


def test_frames_come_back_in_their_order(tmp_path):
    content = write(tmp_path / "file", FRAMES)
    frames, length, is_torn = read_frames(tmp_path / "file")
    assert all(map(is_same, frames, FRAMES))
    assert (len(frames), length, is_torn) == (3, len(content), False)


def test_no_file_has_no_frames(tmp_path):
    assert read_frames(tmp_path / "none") == ([], 0, False)


def whole_frames(content, end):
    """Return how many frames end within the first bytes of a file, and where the last of them does."""
    ends = np.cumsum([len(encode(frame)) for frame in FRAMES])
    assert ends[-1] == len(content)
    number = int((ends <= end).sum())
    return number, int(ends[number - 1]) if number else 0


def test_of_a_file_that_ends_anywhere_the_whole_frames_are_read(tmp_path):
    content = write(tmp_path / "file", FRAMES)
    for end in range(len(content) + 1):
        (tmp_path / "cut").write_bytes(content[:end])
        number, whole = whole_frames(content, end)
        frames, length, is_torn = read_frames(tmp_path / "cut")
        assert (len(frames), length, is_torn) == (number, whole, whole < end)
        assert all(map(is_same, frames, FRAMES))


def test_wherever_a_bit_is_wrong_the_frames_before_it_are_read(tmp_path):
    content = write(tmp_path / "file", FRAMES)
    for place in range(len(content)):
        for bit in (0, 7):
            changed = bytearray(content)
            changed[place] ^= 1 << bit
            (tmp_path / "changed").write_bytes(changed)
            number, whole = whole_frames(content, place)
            frames, length, is_torn = read_frames(tmp_path / "changed")
            assert (len(frames), length, is_torn) == (number, whole, True)
            assert all(map(is_same, frames, FRAMES))


@pytest.mark.parametrize("rubbish", [b"\0", MAGIC, bytes(10_000), HEAD.pack(MAGIC, 2**64 - 1, bytes(32))])
def test_what_follows_the_frames_is_cut_off_when_more_are_written(tmp_path, rubbish):
    path = tmp_path / "file"
    content = write(path, FRAMES)
    path.write_bytes(content + rubbish)
    frames, length, is_torn = read_frames(path)
    assert (len(frames), is_torn) == (3, True)
    file = FrameFile(path, length)
    file.append(FRAMES[0])
    file.close()
    assert path.read_bytes() == content + encode(FRAMES[0])


def sealed(text, data=b""):
    """A frame with a right checksum, whatever is in it."""
    text = text if isinstance(text, bytes) else json.dumps(text).encode()
    content = TEXT.pack(len(text)) + text + data
    return HEAD.pack(MAGIC, len(content), hashlib.sha256(content).digest()) + content


def listing(dtype, shape):
    return {"arrays": [["a", dtype, shape]], "numbers": {}}


WRONG = {
    "no text": sealed(b""),
    "no JSON": sealed(b"{"),
    "a list": sealed([]),
    "nothing in it": sealed({}),
    "numbers that are none": sealed({"arrays": [], "numbers": 3}),
    "too deep": sealed(b"[" * 100_000),
    "objects": sealed(listing("O", [1]), bytes(8)),
    "records with objects": sealed(listing([["a", "<f8"], ["b", "O"]], [1]), bytes(16)),
    "a type that is none": sealed(listing("no type", [1]), bytes(8)),
    "a type of no size": sealed(listing("V0", [2**40])),
    "an oversized shape": sealed(listing("<f8", [2**40, 2**40]), bytes(8)),
    "a shape beyond all numbers": sealed(listing("<f8", [2**200, 0])),
    "a negative shape": sealed(listing("<f8", [-1]), bytes(8)),
    "two negative extents": sealed(listing("<f8", [-1, -1]), bytes(8)),
    "a broken shape": sealed(listing("<f8", [0.5]), bytes(8)),
    "a shape that is none": sealed(listing("<f8", None), bytes(8)),
    "more than is listed": sealed(listing("<f8", [1]), bytes(9)),
    "less than is listed": sealed(listing("<f8", [2]), bytes(15)),
}


@pytest.mark.parametrize("content", WRONG.values(), ids=WRONG)
def test_a_right_checksum_does_not_make_sense_of_nonsense(tmp_path, content):
    (tmp_path / "file").write_bytes(encode(FRAMES[0]) + content)
    with pytest.raises(ew.StorageError) as caught:
        read_frames(tmp_path / "file")
    assert "its checksums are right" in check_sentence(str(caught.value))


def test_arrays_of_objects_are_not_written():
    with pytest.raises(ValueError, match="plain"):
        decode(encode(Frame({"a": np.array([None])}, {}))[HEAD.size :])


def test_a_frame_that_cannot_be_written_leaves_those_before_it(tmp_path, monkeypatch):
    path = tmp_path / "file"
    content = write(path, FRAMES)
    file = FrameFile(path, len(content))

    def fail(descriptor):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", fail)
        with pytest.raises(ew.StorageError, match="No space left on device") as caught:
            file.append(FRAMES[0])
    check_sentence(str(caught.value))
    assert path.read_bytes() == content
    file.append(FRAMES[1])
    file.close()
    assert path.read_bytes() == content + encode(FRAMES[1])


def test_what_is_no_file_cannot_be_read(tmp_path):
    with pytest.raises(ew.StorageError) as caught:
        read_frames(tmp_path)
    assert check_sentence(str(caught.value)).endswith("cannot be read (Is a directory).")


def test_a_file_that_was_removed_is_missed(tmp_path):
    file = FrameFile(tmp_path / "file")
    (tmp_path / "file").unlink()
    with pytest.raises(ew.StorageError, match="No such file") as caught:
        file.append(FRAMES[0])
    check_sentence(str(caught.value))
    file.close()


def test_a_file_is_replaced_as_a_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "file"
    replace_file(path, b"before")
    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", lambda descriptor: (_ for _ in ()).throw(OSError(28, "full")))
        with pytest.raises(ew.StorageError):
            replace_file(path, b"after")
    assert path.read_bytes() == b"before"
    assert [found.name for found in tmp_path.iterdir()] == ["file"]
    replace_file(path, b"after")
    assert path.read_bytes() == b"after"
