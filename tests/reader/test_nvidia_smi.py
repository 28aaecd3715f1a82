"""The CSV of nvidia-smi beside a capture is what the GPU did, if it is of one GPU."""

import json

import pytest

from trexreport.reader import read_engine
from trexreport.reader.nvidia_smi import is_nvidia_smi

PROFILE = [{"count": 10}, {"name": "a", "timeMs": 10.0, "averageMs": 1.0, "medianMs": 1.0, "percentage": 100}]
TITLES = "timestamp, name, utilization.gpu [%], clocks.current.sm [MHz], power.draw [W], temperature.gpu"
ROW = "2024/10/03 10:47:{}.500, {}, 99\x20%, {} MHz, 440.11 W, 80\n"
#: Of two GPUs of one name, a moment apart.
PAIRS = [f"0{second}.00{gpu}" for second in range(5) for gpu in (1, 4)]


def table(*clocks, name="NVIDIA GeForce RTX 4090", titles=TITLES):
    rows = (ROW.format(f"{at:02}", name, clock) for at, clock in enumerate(clocks))
    return "\n".join((titles, "".join(rows)))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "x.profile.json").write_text(json.dumps(PROFILE))
    return tmp_path


def test_its_rows_are_samples(folder):
    (folder / "smi.csv").write_text(table(2520, 1950, "[N/A]"))
    for engine in (read_engine(folder), read_engine(folder / "x.profile.json", folder / "smi.csv")):
        assert engine.gpu.time_s == (0, 1, 2)
        assert engine.gpu.sm_clock_mhz == (2520, 1950, None)
        assert engine.gpu.power_w == (440.11,) * 3
        assert engine.gpu.temperature_c == (80,) * 3
        assert engine.gpu.gpu_utilization_percent == (99,) * 3
        assert engine.gpu.facts["name"] == "NVIDIA GeForce RTX 4090"


def test_the_time_may_be_any_column(folder):
    rows = "".join(f"0, 2024/10/03 10:47:{at:02}.000, {clock} MHz\n" for at, clock in enumerate((2520, 1950)))
    (folder / "smi.csv").write_text(f"index, timestamp, clocks.current.sm [MHz]\n{rows}")
    assert read_engine(folder).gpu.sm_clock_mhz == (2520, 1950)
    (folder / "smi.csv").write_text(
        f"index, timestamp, clocks.current.sm [MHz]\n{rows}{rows.replace('0,', '1,', 1)}"
    )
    engine = read_engine(folder)
    assert engine.gpu is None
    assert any("smi.csv (a table of nvidia-smi)" in note.message for note in engine.notes)


@pytest.mark.parametrize(
    ("cell", "expected"), [("0x0000000000000004", 4), ("0xzz", None), ("Not Active", None)]
)
def test_reasons_of_throttling_are_a_mask(folder, cell, expected):
    (folder / "smi.csv").write_text(
        f"timestamp, clocks_event_reasons.active\n2024/10/03 10:47:00.000, {cell}\n"
    )
    assert read_engine(folder).gpu.throttle_reasons == (expected,)


@pytest.mark.parametrize(
    "text",
    [
        table(2520) + ROW.format("01", "Another GPU", 2000),
        TITLES + "\n" + ROW.format("00", "One", 2520) * 2,  # two of one name
        TITLES
        + "\n"
        + "".join(
            ROW.format(f"{at}.00{gpu}", "One", 2520).replace(".500", "") for at in "12345" for gpu in "14"
        ),
        TITLES + "\n",
        "timestamp, name\n2024/10/03 10:47:00.000, x\n",
        table(2520).replace("2024/", "x/"),
        "timestamp",
        TITLES.replace("timestamp", "timestamps") + "\n" + ROW.format("00", "One", 2520),
    ],
)
def test_other_tables_are_not(text):
    assert not is_nvidia_smi(text)
