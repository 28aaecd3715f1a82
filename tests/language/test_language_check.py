"""The language check finds what trexreport does not write, in sources and outputs, and nothing else."""

from __future__ import annotations

import fnmatch
import re

import check
import outputs
import pytest

LANGUAGE = check.Language(check.read_list())

#: A text for each kind of rule, with what is found in it.
WRONG = {
    "spelling": ("The colour of a layer", "colour"),
    "spelling, any ending": ("Unquantised layers", "Unquantised"),
    "archaism": ("Whoever builds the engine", "Whoever"),
    "archaism of two words": ("a cache of ours", "of ours"),
    "private term": ("Look here first", "Look here first"),
    "not a thing": ("The file is no capture", "is no capture"),
    "not a further thing": ("so it is no further run", "is no further"),
    "a rule's property": ("Conversions of a DLA are TRX911's.", "TRX911's"),
    "alone for only": ("With averages alone it is 10%", "averages alone"),
    "inversion": ("It has no limit. Known are max, level", "Known are"),
    "built of": ("the model that it was built of", "built of"),
    "file on a subject": ("give a file on accuracy", "file on accuracy"),
    "need not": ("Names need not be equal", "need not"),
    "known of": ("No time is known of all phases", "No time is known of"),
    "private term in a column": ("Made from", "Made from"),
    "underscores": ("sum_of_the_layers = 1", "sum of the layers"),
    "camel case": ("const colourOf = sumOfTheLayers(1)", "sum Of The Layers"),
    "capital letters": ("ONLY_HERE = 1", "ONLY HERE"),
    "hyphens": ("the held-against engine", "held against"),
    "lower case": ("runs on tensor cores", "tensor cores"),
    "percentage": ("takes 24.2 % of the time", "2 % of"),
    "percentage with a fixed space": ("takes 24.2\N{NO-BREAK SPACE}%", "2\N{NO-BREAK SPACE}%"),
    "percentage in a template": ('f"{share} %"', "} %"),
    "thousands": ("1\N{NARROW NO-BREAK SPACE}130 qps", "1\N{NARROW NO-BREAK SPACE}1"),
    "power of ten": ("4.2×10⁻⁵ ms", "×10⁻⁵"),
    "exponent": ("takes 4.2e-05 ms", "4.2e-05 ms"),
}
RIGHT = {
    "names of third parties": "licensed by the organization; Mendeley, gravel, aria-labelledby, standstill",
    "identifiers": 'key = "tensor_cores"; has_tensor_cores = True',
    "numbers": "24.2%, 1,130 qps, <0.001 ms, 1e-9, f'{count} %(name)s', version 1.2e-05-rc1",
    "no things": "There is no profile; it is no longer there; there are no such layers",
    "standard terms": "Total layer time; Top findings; Tensor Cores; the engine states its version",
}


def found(text, place="trexreport/x.py:1"):
    return [each.found for each in LANGUAGE.problems(text, place)]


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_text_is_found(kind):
    text, words = WRONG[kind]
    assert words in found(text)


@pytest.mark.parametrize("kind", RIGHT)
def test_a_right_text_is_not_found(kind):
    assert found(RIGHT[kind]) == []


@pytest.mark.parametrize("kind", ["word", "phrase", "raw"])
def test_each_entry_of_the_list_can_match(kind):
    document = {"word": [], "phrase": [], "raw": [], "allow": []}
    document[kind] = [{"pattern": "abc", "instead": "xyz"}]
    (problem,) = check.Language(document).problems("an abc", "x.py:7")
    assert str(problem) == 'x.py:7: "abc"; write xyz'


def test_an_allowed_word_is_allowed_in_its_file_alone():
    option = "--colour-by"
    assert found(option, "trexreport/cli/renamed_options.py:3") == []
    assert found(option, "trexreport/cli/report.py:3") == ["colour"]
    assert found("colouring", "trexreport/cli/renamed_options.py:3") == ["colouring"]


def test_a_remainder_in_a_script_is_no_percentage():
    assert found("const odd = 7 % size", "static/js/x.js:1") == []
    assert found("takes 24 % more", "docs/x.md:1") == ["4 % more"]


@pytest.mark.parametrize(
    "allowed",
    [each for each in check.read_list()["allow"] if not each["file"].startswith("*")],
    ids=lambda each: each["file"],
)
def test_each_exception_is_still_needed(allowed):
    """An exception that nothing needs would hide the next wrong word."""
    names = [name for name in check.source_files() if fnmatch.fnmatch(name, allowed["file"])]
    assert names
    bare = check.Language({**check.read_list(), "allow": []})
    words = re.compile(allowed["pattern"], re.IGNORECASE)
    assert any(words.fullmatch(each.found) for name in names for each in check.file_problems(bare, name))


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Return a function that writes a file of a repository and returns what is found in it."""
    monkeypatch.setattr(check, "ROOT", tmp_path)

    def problems(name, text):
        (tmp_path / name).write_bytes(text.encode() if isinstance(text, str) else text)
        return [str(each) for each in check.all_problems([name])]

    return problems


def test_words_are_found_in_code_texts_comments_and_names_of_files(file):
    assert [
        each.partition(";")[0] for each in file("a.py", "x = 7\ncolour = 1  # stands\ny = '''\ntold'''\n")
    ] == [
        'a.py:2: "colour"',
        'a.py:2: "stands"',
        'a.py:4: "told"',
    ]
    assert file("grey.md", "text") == ['grey.md: "grey"; write gray']
    assert file("a.md", "one\nso many\n") == ['a.md:2: "so many"; write the given number of, this many']


def test_a_modulo_is_no_percentage_and_a_picture_no_text(file):
    assert file("a.py", "x = 7 % 3\ny = 7 %(3)\n") == []
    assert file("a.png", b"\x89PNG told \xff\xfe") == []


def pdf(text):
    """Return a PDF of one line."""
    stream = f"BT /F1 12 Tf 50 700 Td ({text}) Tj ET".encode()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    data, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return (
        data
        + b"xref\n0 6\n0000000000 65535 f \n%strailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF"
        % (
            table,
            len(data),
        )
    )


PAGE = '<p {}="{}">Layers</p><script>var told;</script><style>.told{{}}</style>'


def readable(folder, name, text):
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return found(outputs.readable(folder / name), f"output {name}:1")


@pytest.mark.parametrize("attribute", ["title", "aria-label", "placeholder", "alt"])
def test_attributes_that_a_reader_sees_are_read(tmp_path, attribute):
    assert readable(tmp_path, "x.html", PAGE.format(attribute, "Nobody &amp; so many")) == [
        "Nobody",
        "so many",
    ]


def test_script_style_and_other_attributes_of_a_page_are_not_read(tmp_path):
    assert readable(tmp_path, "x.html", PAGE.format("data-name", "told")) == []


def test_text_of_a_page_is_read_without_its_tags(tmp_path):
    assert readable(tmp_path, "x.svg", "<svg><text>so</text> <text>dear&#101;st</text></svg>") == ["dearest"]


@pytest.mark.parametrize("has_poppler", [True, False])
def test_text_of_a_pdf_is_read(tmp_path, monkeypatch, has_poppler):
    if not has_poppler:
        monkeypatch.setattr(outputs.shutil, "which", lambda _: None)
    assert readable(tmp_path, "x.pdf", pdf("The dearest layers")) == ["dearest"]
    assert readable(tmp_path, "x.pdf", pdf("The slowest layers")) == []


def test_subject_and_parts_of_a_mail_are_read(tmp_path):
    mail = "Subject: So many\nMIME-Version: 1.0\nContent-Type: text/html\n\n<html><p>24.2 %</p></html>\n"
    assert readable(tmp_path, "x.eml", mail) == ["So many", "2 %"]


def test_what_commands_print_and_write_is_checked(tmp_path, monkeypatch):
    def main(words, *, standalone_mode):
        assert not standalone_mode
        command, *_, out = words
        print("The dearest layer" if command == "summary" else "The slowest layer")
        outputs.Path(out).write_text("<p>24.2 %</p>" if command == "report" else "24.2%")

    monkeypatch.setattr("trexreport.cli.main", main)
    monkeypatch.setattr(outputs, "_COMMANDS", ("summary {sample} {out}/x.md", "report {sample} {out}/x.html"))
    monkeypatch.setattr(outputs, "_OTHERS", ())
    samples = sorted(path.parent.name for path in outputs.SAMPLES.glob("*/*.graph.json"))
    found_in = [each.place for each in check.output_problems(LANGUAGE)]
    assert len(samples) >= 4
    assert found_in == [
        *(f"output of {name}: summary {{sample}} {{out}}/x.md:1" for name in samples),
        *(f"output {name}/x.html:2" for name in samples),
    ]


def test_a_command_that_breaks_is_an_error():
    with pytest.raises(AssertionError, match="exit 3"):
        outputs._run("summary {sample}", {"sample": "absent"})
