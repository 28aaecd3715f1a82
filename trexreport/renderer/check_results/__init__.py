"""The results of `lint` and `check` in formats for programs: SARIF, JUnit XML, GitHub annotations."""

from collections.abc import Callable, Mapping, Sequence

from trexreport.renderer.check_results.results import CheckResults

# Each writer is imported when its format is asked for.


def _sarif(results: Sequence[CheckResults]) -> bytes:
    from trexreport.renderer.check_results.sarif import write_sarif

    return write_sarif(results)


def _junit(results: Sequence[CheckResults]) -> bytes:
    from trexreport.renderer.check_results.junit import write_junit

    return write_junit(results)


def _github(results: Sequence[CheckResults]) -> bytes:
    from trexreport.renderer.check_results.github import write_github

    return write_github(results)


#: Formats of both commands, and what writes them of one engine or of several phases.
WRITERS: Mapping[str, Callable[[Sequence[CheckResults]], bytes]] = {
    "sarif": _sarif,
    "junit": _junit,
    "github": _github,
}
