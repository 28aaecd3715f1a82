"""A site with pseudonyms: no planted secret is in any file, and the figures are the same."""

from __future__ import annotations

import json
import re
import shutil

import pytest
from click.testing import CliRunner
from redaction_secrets import MARK, PLANTED, secret_files, texts_in
from site_captures import build, write_capture, write_history

from trexreport.cli import main
from trexreport.pipeline.settings import Settings
from trexreport.redaction.capture import redact_place
from trexreport.redaction.kinds import KEY_VARIABLE, KINDS, Redaction
from trexreport.site.build import SiteOptions
from trexreport.site.discovery import MANIFEST_NAME
from trexreport.site.jobs import PageOptions

ALL = Redaction(frozenset(KINDS))


def redacted(captures, output, redaction=ALL, **more):
    return build(captures, output, redaction=redaction, **more)


@pytest.fixture(scope="module")
def others():
    return secret_files()[1]


@pytest.fixture(scope="module")
def captures(tmp_path_factory):
    """Four runs of a secret model that becomes slower, one that is damaged, and a page that is."""
    top = tmp_path_factory.mktemp("top") / f"{MARK}-captures"
    files, _ = secret_files()
    # About the total layer time of the profile.
    for run, ms in enumerate((1.8, 1.8, 2.3, 2.3), 1):
        folder = top / f"{MARK}nightly" / f"2024-05-0{run}"
        folder.mkdir(parents=True)
        for name, content in files.items():
            changed = content
            if ".timing" in name:
                queries = [
                    {**each, **dict.fromkeys(("endComputeMs", "computeMs", "latencyMs"), ms + at % 7 / 1000)}
                    for at, each in enumerate(json.loads(content))
                ]
                changed = json.dumps(queries).encode()
            if name.endswith((".capture.json", ".log")):
                changed = re.sub(rb"2026-01-01|01/01/2026", b"", content)
            (folder / name).write_bytes(changed)
    broken = top / f"{MARK}broken"
    shutil.copytree(top / f"{MARK}nightly" / "2024-05-01", broken)
    next(broken.glob("*.graph.json")).write_text(f'{{"Layers": [{{"{MARK}": ')
    (top / f"{MARK}.html").write_text(
        f'<meta name="generator" content="trexreport"><i id="trexreport-inputs">{MARK}'
    )
    return top


@pytest.fixture(scope="module")
def site(captures, tmp_path_factory):
    output = tmp_path_factory.mktemp("made") / "site"
    return redacted(captures, output), output


def test_nothing_that_was_planted_is_in_any_file_or_its_name(site, others):
    _, output = site
    names = [str(path.relative_to(output)) for path in sorted(output.rglob("*"))]
    assert not PLANTED.search("\n".join(names))
    written = [path for path in output.rglob("*") if path.is_file()]
    assert len(written) > 5
    for path in written:
        text = texts_in(path.read_bytes())
        assert not PLANTED.search(text), path.name
        assert not [secret for secret in others.values() if secret in text], path.name


def test_what_is_made_is_complete(site):
    made, output = site
    assert len(made.entries) == 4
    assert [run.mark.kind for history in made.histories for run in history.runs] == [
        "first",
        "level",
        "step",
        "level",
    ]
    assert len(list((output / "compare").iterdir())) == 1
    assert len(list((output / "history").iterdir())) == 1
    assert [entry.summary.date for entry in made.entries] == [f"2024-05-0{day}" for day in (1, 2, 3, 4)]


def test_failures_are_reported_whole_to_the_maker_of_the_site_alone(site, captures):
    made, output = site
    assert {failure.origin.partition("/")[0] for failure in made.failures} == {captures.name}
    assert any(MARK in failure.error for failure in made.failures)
    index = (output / "index.html").read_text()
    assert index.count("The reason is not published") == len(made.failures) == 2
    assert "Redacted before the captures were read" in index


def test_a_site_that_reported_all_shows_nothing_when_it_is_made_again(captures, tmp_path):
    build(captures, tmp_path / "site")
    assert any(PLANTED.search(path.name) for path in (tmp_path / "site").rglob("*"))
    assert len(redacted(captures, tmp_path / "site").entries) == 4
    for path in (tmp_path / "site").rglob("*"):
        assert not PLANTED.search(path.name)
        assert not path.is_file() or not PLANTED.search(texts_in(path.read_bytes()))


def test_nothing_is_made_twice_and_another_key_makes_all_again(captures, tmp_path):
    first = redacted(captures, tmp_path / "site")
    assert redacted(captures, tmp_path / "site").made == 0
    other = redacted(captures, tmp_path / "site", Redaction(ALL.kinds, b"key"))
    assert other.made == first.made
    assert {entry.address for entry in other.entries}.isdisjoint(entry.address for entry in first.entries)


def test_published_hashes_confirm_no_guess_without_the_key(captures, tmp_path):
    documents = []
    for key in (b"one", b"two"):
        redacted(captures, tmp_path / "site", Redaction(ALL.kinds, key))
        documents.append((tmp_path / "site" / MANIFEST_NAME).read_text())
    hashes = [set(re.findall(r"[0-9a-f]{64}", document)) for document in documents]
    assert all(hashes)
    assert hashes[0].isdisjoint(hashes[1])


def test_places_keep_their_numbers_and_their_order():
    assert re.fullmatch(
        r"q\w{8}/2024-05-01/q\w{8}-12/q\w{8}\.engine",
        redact_place("acme/2024-05-01/zephyr-12/falconet.engine", ALL),
    )
    paths = Redaction(frozenset({"paths"}))
    assert re.fullmatch(r"q\w{8}/falconet\.engine", redact_place("acme/falconet.engine", paths))
    host = Redaction(frozenset({"host"}))
    assert re.fullmatch(r"q\w{8}/x", redact_place("alice/x", host, "/home/alice"))
    assert redact_place("acme/x", host, "/home/alice/acme") == "acme/x"


def test_two_places_never_share_a_pseudonym(tmp_path, monkeypatch):
    for name in ("acme", "zephyr"):
        write_capture(tmp_path / "captures" / name, seed=len(name))
    monkeypatch.setattr("trexreport.redaction.redactor.pseudonym", lambda *_: "qbbbbbbbb")
    assert len({entry.place for entry in redacted(tmp_path / "captures", tmp_path / "site").entries}) == 2


def test_a_cluster_would_get_the_key_and_the_command_takes_the_option(tmp_path, monkeypatch):
    write_history(tmp_path / "acme", [1.0, 1.0], name="falconet", model="falconet.onnx")
    (tmp_path / "trexreport.toml").write_text(
        '[[lint.suppress]]\nrule = "TRX"\nlayers = "*zephyr*"\nreason = "zephyr is so"\n'
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(KEY_VARIABLE, "secret")
    done = CliRunner().invoke(
        main, ["site", "acme", "-o", "site", "--redact", "names,paths,host", "--jobs", "2"]
    )
    assert done.exit_code == 0, done.output
    assert (tmp_path / "site" / "index.html").exists()
    for path in (tmp_path / "site").rglob("*"):
        text = path.name + (texts_in(path.read_bytes()) if path.is_file() else "")
        assert not re.search("acme|falconet|zephyr", text, re.IGNORECASE), path.name


def test_a_kind_that_is_unknown_is_reported():
    done = CliRunner().invoke(main, ["site", "x", "-o", "y", "--redact", "all"])
    assert done.exit_code == 2
    assert "has no 'all'" in done.output


def test_options_are_those_of_a_site():
    plain = SiteOptions(PageOptions(False, Settings()))
    hidden = SiteOptions(PageOptions(False, Settings(), ALL))
    assert plain.key() != hidden.key() == hidden.key()
