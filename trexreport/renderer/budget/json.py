"""What came of a budget as JSON; docs/check.schema.json describes it."""

from __future__ import annotations

import json
from typing import Any

from trexreport import __version__
from trexreport.analyzer.analysis import as_json
from trexreport.analyzer.analysis.budget import BudgetCheck
from trexreport.analyzer.analysis.phases_check import PhasesCheck
from trexreport.wording.json_sentences import members_and_sentences


def render_budget_json(check: BudgetCheck) -> bytes:
    """Return the outcome as JSON in ASCII; what is not known is null, never NaN."""
    return (json.dumps(check_document(check), indent=1, allow_nan=False) + "\n").encode("ascii")


def check_document(check: BudgetCheck | PhasesCheck) -> dict[str, Any]:
    """Return the outcome as what JSON can state."""
    return {"generator": "trexreport", "version": __version__, **as_json(check, members_and_sentences)}
