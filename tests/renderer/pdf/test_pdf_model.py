"""The ONNX model in the PDF: its section, and its structure given back."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path

import pytest

from trexreport.analyzer import analyze
from trexreport.errors import MissingToolError
from trexreport.reader import read_engine
from trexreport.renderer.pdf import check_pdf_tools, render_pdf

SAMPLES = Path(__file__).parents[3] / "samples"

pypdf = pytest.importorskip("pypdf")


@pytest.fixture(scope="module")
def data():
    try:
        check_pdf_tools()
    except MissingToolError as error:
        pytest.skip(str(error))
    files = {"onnx": SAMPLES / "models" / "resnet18-int8-before.onnx"}
    engine = read_engine(SAMPLES / "resnet18-int8-before", files=files)
    return render_pdf(analyze(engine), engine.sources)


def test_the_section_has_its_tables(data):
    text = "\n".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages)
    for heading in ("Time by module", "Time by class", "Time by source line", "Nodes in no layer"):
        assert heading in text
    assert "79 of 174 nodes of resnet18-int8-before.onnx are in layers" in text
    assert re.search(r"layer1\.0\s+17\s+3", text)
    assert "3.47–15.3" in text


def test_the_structure_is_given_back(data, tmp_path):
    path = tmp_path / "x.pdf"
    path.write_bytes(data)
    found = read_engine(path).onnx
    expected = read_engine(
        SAMPLES / "resnet18-int8-before", files={"onnx": SAMPLES / "models" / "resnet18-int8-before.onnx"}
    ).onnx
    assert replace(found, file="") == replace(expected, file="")
