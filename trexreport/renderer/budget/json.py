"""What came of a budget as JSON; docs/check.schema.json describes it."""

from __future__ import annotations

import json

from trexreport import __version__
from trexreport.analyzer.analysis import as_json
from trexreport.analyzer.analysis.budget import BudgetCheck
from trexreport.wording.json_sentences import members_and_sentences


def render_budget_json(check: BudgetCheck) -> bytes:
    """Return the outcome as JSON in ASCII; what is not known is null, never NaN."""
    document = {"generator": "trexreport", "version": __version__, **as_json(check, members_and_sentences)}
    return (json.dumps(document, indent=1, allow_nan=False) + "\n").encode("ascii")
