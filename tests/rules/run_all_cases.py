"""Run each case of the rules once, without judging the outcome: what a program that counts lines watches."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from case_files import CASES, run_case

from trexreport.analyzer.rules.registry import built_in_rules


def main() -> None:
    """Run all cases of all rules."""
    for rule in built_in_rules():
        for path in sorted((CASES / rule.code).glob("*.json")):
            with tempfile.TemporaryDirectory() as folder:
                run_case(json.loads(path.read_text("utf-8")), rule, Path(folder))


if __name__ == "__main__":
    main()
