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
    pairs = [(source.name, "the report", source) for source in sources]
    return _attached(pairs, manifest)


def attached_inputs_of_all(
    comparison: Comparison, sources: Sequence[Sequence[Source]], others: Sequence[ExternalLatency] = ()
) -> list[AttachedFile]:
    """Return the inputs of all engines and of `others`, prefixed with their names, and the manifest."""
    engines = comparison.engines
    measured = [other for other in others if other.sources]
    titles = [*(engine.name for engine in engines), *(other.name for other in measured)]
    all_sources = [*sources, *(other.sources for other in measured)]
    manifests = [
        inputs_manifest(engine.name, tuple(given), engine.identity.optimization_profile)
        for engine, given in zip(engines, sources, strict=True)
    ]
    manifest: dict[str, Any] = {"engines": manifests}
    if measured:
        manifest["others"] = [inputs_manifest(other.name, other.sources) for other in measured]
    return _attached_of(titles, all_sources, manifest)


def attached_inputs_of_phases(
    report: PhasesReport, sources: Sequence[Sequence[Source]]
) -> list[AttachedFile]:
    """Return the inputs of all phases, prefixed with their names, and the manifest."""
    titles = [phase.name for phase in report.together.phases]
    return _attached_of(titles, sources, phases_manifest(report, sources))


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
    manifests = [
        inputs_manifest(title, tuple(given), identity.optimization_profile)
        for title, identity, given in engines
    ]
    titles = [title for title, _, _ in engines]
    return _attached_of(titles, [given for _, _, given in engines], {"engines": manifests})


def _attached_of(
    titles: Sequence[str], sources: Sequence[Sequence[Source]], manifest: dict[str, Any]
) -> list[AttachedFile]:
    """Return the files of several engines, each prefixed with the title of its engine."""
    # No slash: programs that save attachments would have to create folders.
    return _attached(
        [
            (f"{folder}-{source.name}", title, source)
            for folder, title, given in zip(folder_names(titles), titles, sources, strict=True)
            for source in given
        ],
        manifest,
    )


def _attached(files: Sequence[tuple[str, str, Source]], manifest: dict[str, Any]) -> list[AttachedFile]:
    """Return files, given with their names and what they are of, under unique names, and the manifest."""
    names = distinct_names([name for name, _, _ in files], taken=[MANIFEST_NAME])
    return [
        *(
            AttachedFile(name, source.data, f"Input of {of}: {source.role}")
            for name, (_, of, source) in zip(names, files, strict=True)
        ),
        AttachedFile(MANIFEST_NAME, pack_manifest(manifest), _MANIFEST_DESCRIPTION),
    ]
