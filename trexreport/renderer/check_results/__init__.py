"""The results of `lint` and `check` in formats for programs: SARIF, JUnit XML, GitHub annotations."""

from collections.abc import Callable, Mapping, Sequence

from trexreport.renderer.check_results.github import write_github
from trexreport.renderer.check_results.junit import write_junit
from trexreport.renderer.check_results.results import CheckResults
from trexreport.renderer.check_results.sarif import write_sarif

#: Formats of both commands, and what writes them of one engine or of several phases.
WRITERS: Mapping[str, Callable[[Sequence[CheckResults]], bytes]] = {
    "sarif": write_sarif,
    "junit": write_junit,
    "github": write_github,
}
