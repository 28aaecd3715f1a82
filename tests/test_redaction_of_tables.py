"""Tables of nvidia-smi and lines of applications lose what identifies, and are read as before."""

import pytest
from front_ends import STAGES_IN_A_LINE, TIMING_REPORT, application_log

from trexreport.model import Source
from trexreport.model.fused_names import is_dla_transfer
from trexreport.reader.application_times import application_times
from trexreport.reader.capture import Capture
from trexreport.reader.nvidia_smi import _PROPERTIES, samples_of_nvidia_smi
from trexreport.reader.tegrastats import samples_of_tegrastats
from trexreport.redaction.capture import redact_capture
from trexreport.redaction.kinds import KINDS, Redaction
from trexreport.redaction.redactor import Redactor

ALL = Redaction(frozenset(KINDS))
GPU = {"name": "NVIDIA A100", "serial": "1650923000123", "gpu_serial": "77", "pci.bus_id": "00000000:3B:00.0"}


def redacted(role, text):
    """Return the text of a file without what identifies."""
    (source,) = redact_capture(Capture("x", (Source(role, role, text.encode()),)), ALL).sources
    return source.data.decode()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_columns_that_identify_a_gpu_are_hidden(end):
    titles = ["timestamp", *GPU, *_PROPERTIES]
    rows = [
        [f"2024/10/03 10:47:{at:02}.000", *GPU.values(), *(str(at + 7) for _ in _PROPERTIES)]
        for at in range(3)
    ]
    table = "".join(", ".join(row) + end for row in [titles, *rows])
    text = redacted("gpu", table)
    assert not {each for key, each in GPU.items() if key != "name" if f" {each}," in text}
    assert samples_of_nvidia_smi(text) == samples_of_nvidia_smi(table)
    assert redacted("gpu", text) == text


@pytest.mark.parametrize("stamp", ["", "10-03-2024 10:47:{:02} "])
def test_lines_of_tegrastats_keep_what_is_read(stamp):
    state = "RAM 1/7620MB (lfb 8x4MB) CPU [12%@729,9%@729,off] EMC_FREQ 30%@2133 GR3D_FREQ {}%@[306,306]"
    rails = "APE 174 acme CPU@48C GPU@47.5C VDD_IN 5021mW/5021mW VDD_GPU_SOC 4123mW/4123mW"
    log = "".join(f"{stamp}{state} {rails}\nacme\n".format(*(at, at) if stamp else (at,)) for at in range(3))
    text = redacted("gpu", log)
    assert "acme" not in text
    assert samples_of_tegrastats(text) == samples_of_tegrastats(log)
    assert set(samples_of_tegrastats(text)["samples"]["power_w"]) == {4.123}
    assert redacted("gpu", text) == text


def test_times_of_images_are_kept():
    lines = "".join(f"image {at}/6 /data/acme/cat{at}.jpg: 640x640 1 acme, {at}.5ms\n" for at in range(6))
    speed = "Speed: {}ms {}process, 7.9ms inference, 1.1ms {} per image\n"
    text = f"{lines}{speed.format(1.2, 'pre', 'postprocess')}{speed.format(2.2, 'pre-', 'NMS')}"
    log = redacted("log", text)
    assert "acme" not in log
    assert application_times(log) == application_times(text)
    assert len(application_times(text)) == 6


@pytest.mark.parametrize("form", [STAGES_IN_A_LINE, TIMING_REPORT])
def test_times_of_applications_are_kept(form):
    text = application_log(form, [(1.5, 8, 2.5)] * 6).decode()
    assert application_times(redacted("log", text)) == application_times(text)
    assert len(application_times(text)) == 6


@pytest.mark.parametrize("name", ["acme to nvm", "acme from nvm", "acme copy finish"])
def test_copies_of_a_dla_keep_what_they_are(name):
    assert is_dla_transfer(name)
    hidden = Redactor(ALL, ()).text(name, "graph")
    assert "acme" not in hidden
    assert is_dla_transfer(hidden)
