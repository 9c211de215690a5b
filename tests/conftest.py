"""What all tests share.

Numba's cache notices a change in the file of a compiled function, but not in the functions it calls from other files.
So the cache of the tests lives in a directory named after the content of all kernels.
"""

import gc
import hashlib
import json
import os
import signal
from pathlib import Path

gc.disable()  # until all tests are collected
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # Under nohup it is ignored, and so it is by the commands that are tested.

ROOT = Path(__file__).parents[1]
_folder = ROOT / "src" / "edgewise" / "_kernels"
_kernels = [*sorted(_folder.glob("*.py")), *sorted(_folder.glob("*/*.py"))]
_digest = hashlib.sha256(b"".join(path.read_bytes() for path in _kernels)).hexdigest()[:16]
_caches = Path(os.environ.get("NUMBA_CACHE_DIR", ROOT / ".cache" / "numba"))
os.environ["NUMBA_CACHE_DIR"] = str(_caches if _caches.name == _digest else _caches / _digest)
for _library in ("OPENBLAS", "OMP", "MKL"):
    # Several workers share the machine; threads of a small product would mostly wait for each other.
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

import numpy as np  # noqa: E402
import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

from compiled import compile_once  # noqa: E402

compile_once()

# How long an example takes depends on what else the machine does.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


def pytest_collection_finish():
    """Leave out, whenever garbage is looked for from now on, the tests and modules that stay to the end anyway."""
    gc.freeze()
    gc.enable()


REFERENCE = Path(__file__).parent / "reference"
REFERENCE_SETS = ("p10_n100_s3_seed1", "p30_n1000_s3_seed1")


@pytest.fixture(scope="session", params=REFERENCE_SETS)
def reference(request):
    """Values from R for one simulated data set: its path, and the record of reference.json."""
    values = json.loads((REFERENCE / "reference.json").read_text())
    return REFERENCE / f"{request.param}.csv", values[request.param]


@pytest.fixture(scope="session")
def public_data():
    """The directory of the public data sets; CI has promised it, elsewhere it may be missing."""
    directory = os.environ.get("EDGEWISE_DATA")
    if not directory and not os.environ.get("CI"):
        pytest.skip("EDGEWISE_DATA is not set: the public data sets are not here")
    return Path(directory)


@pytest.fixture
def rng():
    return np.random.default_rng(20181107)
