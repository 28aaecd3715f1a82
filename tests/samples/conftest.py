"""Let the tests import the generator, which is not part of the package."""

from __future__ import annotations

import sys
from pathlib import Path

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
sys.path.insert(0, str(SAMPLES))
