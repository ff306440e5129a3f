"""The six colours of lines in a figure can be told apart in both schemes of the page, by colour-blind readers, too."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pytest

from ui.studies.look import SIX
from ui.viewer import asset

APART, CONTRAST = 12, 3  # CIELAB distance; as WCAG 2 asks of graphics
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = np.array([0.9505, 1.0, 1.089])
SIGHTS = {  # linear RGB as seen by all, and by those without green or red cones (Machado and others, 2009)
    "all": np.eye(3),
    "deuteranopia": np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]),
    "protanopia": np.array([[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]),
}


def linear(shade: str) -> np.ndarray:
    """A shade such as #0072B2 as linear RGB [3]."""
    values = np.array([int(shade[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def cielab(rgb: np.ndarray) -> np.ndarray:
    ratios = np.maximum(XYZ @ rgb / WHITE, 0)
    x, y, z = np.where(ratios > 0.008856, np.cbrt(ratios), 7.787 * ratios + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.fixture(params=[":root", ".dark"])
def shades(request: pytest.FixtureRequest) -> dict[str, str]:
    """The colours of a scheme by their names in the page's theme."""
    rules = asset("tokens.css").split(f"{request.param} {{")[1].split("}")[0]
    return dict(re.findall(r"--bb-(\w+): (#\w{6});", rules))


@pytest.mark.parametrize("sight", SIGHTS)
def test_the_six_colours_can_be_told_apart(shades: dict[str, str], sight: str) -> None:
    seen = {colour.name: cielab(SIGHTS[sight] @ linear(shades[colour.name])) for colour in SIX}
    assert len(seen) == len(SIX)
    for one, other in combinations(seen, 2):
        assert np.linalg.norm(seen[one] - seen[other]) >= APART, (one, other)


def test_the_six_colours_stand_out_from_the_page(shades: dict[str, str]) -> None:
    ground, *light = (float(XYZ[1] @ linear(shades[name])) for name in ("panel", *(colour.name for colour in SIX)))
    assert all((max(ground, each) + 0.05) / (min(ground, each) + 0.05) >= CONTRAST for each in light)
