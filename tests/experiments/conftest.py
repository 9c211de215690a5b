import pytest
from matplotlib.figure import Figure

from edgewise.experiments.experiment import FILES


@pytest.fixture
def empty_data(tmp_path):
    """A directory with every file of data that experiments look for, all of them empty."""
    place = tmp_path / "empty-data"
    for folder, names in FILES.items():
        (place / folder).mkdir(parents=True)
        for name in names:
            (place / folder / name).touch()
    return place


@pytest.fixture
def undrawn(monkeypatch):
    """Figures are put together, but leave an empty file; `make quick` draws all of them."""
    monkeypatch.setattr(Figure, "savefig", lambda figure, path, **settings: path.touch())
