"""The generator of exports."""

import sys
from pathlib import Path

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
if str(SAMPLES) not in sys.path:
    sys.path.insert(0, str(SAMPLES))
