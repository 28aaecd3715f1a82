"""Rules on the engine as a whole: what its file does not show, and what its TensorRT version requires."""

from __future__ import annotations

from trexreport.analyzer.rules.engine.trx901_names_only import names_only
from trexreport.analyzer.rules.engine.trx902_myelin_regions import myelin_regions
from trexreport.analyzer.rules.engine.trx903_plugin_share import plugin_share
from trexreport.analyzer.rules.engine.trx904_multiple_profiles import multiple_profiles
from trexreport.analyzer.rules.engine.trx905_removed_flags import removed_flags
from trexreport.analyzer.rules.engine.trx906_version_advice import version_advice
from trexreport.analyzer.rules.engine.trx907_incomplete_files import incomplete_files

#: In the order of their codes.
RULES = (
    names_only,
    myelin_regions,
    plugin_share,
    multiple_profiles,
    removed_flags,
    version_advice,
    incomplete_files,
)
