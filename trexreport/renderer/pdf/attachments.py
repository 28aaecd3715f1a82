"""The inputs of a document as attached files, with the manifest that `trexreport extract` reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trexreport.analyzer import Analysis
from trexreport.analyzer.analysis.comparison import Comparison
from trexreport.analyzer.analysis.phases import PhasesReport
from trexreport.analyzer.analysis.phases_comparison import PhasesComparison
from trexreport.model import ExternalLatency, Source
from trexreport.reader.file_names import distinct_names, folder_names
from trexreport.reader.pdf_file import MANIFEST_NAME, pack_manifest
from trexreport.reader.report_file import inputs_manifest
from trexreport.renderer.pdf.writer import AttachedFile
from trexreport.renderer.phases.manifest import phases_manifest

_MANIFEST_DESCRIPTION = "List of the attached input files; trexreport extract reads it"


def attached_inputs(analysis: Analysis, sources: Sequence[Source]) -> list[AttachedFile]:
    """Return the inputs of a report and their manifest, each with a unique name."""
    identity = analysis.identity
    manifest = inputs_manifest(identity.name, tuple(sources), identity.optimization_profile)
    names = distinct_names([source.name for source in sources], taken=[MANIFEST_NAME])
    files = [
        AttachedFile(name, source.data, f"Input of the report: {source.role}")
        for name, source in zip(names, sources, strict=True)
    ]
    return [*files, AttachedFile(MANIFEST_NAME, pack_manifest(manifest), _MANIFEST_DESCRIPTION)]


def attached_inputs_of_all(
    comparison: Comparison, sources: Sequence[Sequence[Source]], others: Sequence[ExternalLatency] = ()
) -> list[AttachedFile]:
    """Return the inputs of all engines and of `others`, prefixed with their names, and the manifest."""
    engines = comparison.engines
    measured = [other for other in others if other.sources]
    titles = [*(engine.name for engine in engines), *(other.name for other in measured)]
    folders = folder_names(titles)
    all_sources = [*sources, *(other.sources for other in measured)]
    pairs = [(at, source) for at, given in enumerate(all_sources) for source in given]
    # No slash: programs that save attachments would have to create folders.
    names = distinct_names([f"{folders[at]}-{source.name}" for at, source in pairs], taken=[MANIFEST_NAME])
    files = [
        AttachedFile(name, source.data, f"Input of {titles[at]}: {source.role}")
        for name, (at, source) in zip(names, pairs, strict=True)
    ]
    manifests = [
        inputs_manifest(engine.name, tuple(given), engine.identity.optimization_profile)
        for engine, given in zip(engines, sources, strict=True)
    ]
    manifest: dict[str, Any] = {"engines": manifests}
    if measured:
        manifest["others"] = [inputs_manifest(other.name, other.sources) for other in measured]
    return [*files, AttachedFile(MANIFEST_NAME, pack_manifest(manifest), _MANIFEST_DESCRIPTION)]


def attached_inputs_of_phases(
    report: PhasesReport, sources: Sequence[Sequence[Source]]
) -> list[AttachedFile]:
    """Return the inputs of all phases, prefixed with their names, and the manifest."""
    titles = [phase.name for phase in report.together.phases]
    folders = folder_names(titles)
    pairs = [(at, source) for at, given in enumerate(sources) for source in given]
    names = distinct_names([f"{folders[at]}-{source.name}" for at, source in pairs], taken=[MANIFEST_NAME])
    files = [
        AttachedFile(name, source.data, f"Input of {titles[at]}: {source.role}")
        for name, (at, source) in zip(names, pairs, strict=True)
    ]
    manifest = pack_manifest(phases_manifest(report, sources))
    return [*files, AttachedFile(MANIFEST_NAME, manifest, _MANIFEST_DESCRIPTION)]


def attached_inputs_of_sets(
    comparison: PhasesComparison, sources: Sequence[Sequence[Sequence[Source]]]
) -> list[AttachedFile]:
    """Return the inputs of all phases of compared sets, prefixed with both names, and the manifest."""
    phases = [phase.name for phase in comparison.together[comparison.baseline].phases]
    engines = [
        (f"{name}-{phase}", of_phase.engines[at].identity, files[at])
        for at, name in enumerate(comparison.sets)
        for phase, of_phase, files in zip(phases, comparison.comparisons, sources, strict=True)
    ]
    titles = [title for title, _, _ in engines]
    folders = folder_names(titles)
    pairs = [(at, source) for at, (_, _, given) in enumerate(engines) for source in given]
    names = distinct_names([f"{folders[at]}-{source.name}" for at, source in pairs], taken=[MANIFEST_NAME])
    attached = [
        AttachedFile(name, source.data, f"Input of {titles[at]}: {source.role}")
        for name, (at, source) in zip(names, pairs, strict=True)
    ]
    manifests = [
        inputs_manifest(title, tuple(given), identity.optimization_profile)
        for title, identity, given in engines
    ]
    manifest = pack_manifest({"engines": manifests})
    return [*attached, AttachedFile(MANIFEST_NAME, manifest, _MANIFEST_DESCRIPTION)]
