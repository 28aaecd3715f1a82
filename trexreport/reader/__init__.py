"""Read files of every TensorRT version, and of other producers, into an `Engine`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from trexreport.errors import in_part
from trexreport.garbage import collection_paused
from trexreport.model import Engine
from trexreport.reader.assemble import assemble
from trexreport.reader.capture import Capture
from trexreport.reader.locate import container_name, is_capture, locate
from trexreport.reader.runs import add_runs


@collection_paused()
def read_engine(
    *paths: str | Path,
    files: Mapping[str, str | Path] | None = None,
    optimization_profile: int | None = None,
    name: str | None = None,
    change: Callable[[Capture], Capture] | None = None,
    metrics: Mapping[str, float] | None = None,
    log_run: int | None = None,
) -> Engine:
    """Read one engine from its files.

    Args:
        paths: Capture folders, graph files (their siblings are found), other files of a capture,
            `.tea` archives, or earlier reports.
        files: Role ("graph", "profile", "timing", "metadata", "build-metadata", "profile-metadata",
            "log", "onnx", "accuracy", "accuracy-reference") to file, for files whose role the caller states.
        optimization_profile: Index of the one to read; None takes the one that was measured, else 0.
        name: Title, instead of the one that the file names give.
        change: Changes the files before anything is read of them, as redaction does.
        metrics: Figures of the whole model's accuracy, such as {"top1": 76.1}.
        log_run: Which run of a log with several to show, 1 for the first; None takes the last complete one.

    Raises:
        InputError: Nothing usable, or a file that can't be read; the message says which and what to do.
    """
    # Of several paths the messages say what is wrong in which.
    with in_part(container_name(paths[0]) if len(paths) == 1 else ""):
        capture = _capture(paths, files, metrics, log_run)
        if change is not None:
            capture = change(capture)
        return assemble(capture, optimization_profile, name, (files or {}).keys())


def _capture(
    paths: Sequence[str | Path],
    files: Mapping[str, str | Path] | None,
    metrics: Mapping[str, float] | None,
    log_run: int | None,
) -> Capture:
    capture = locate_with_model(paths, files)
    if metrics or any(source.role.startswith("accuracy") for source in capture.sources):
        # Imported late: few captures have accuracy files.
        from trexreport.reader.accuracy.companion import with_accuracy

        capture = with_accuracy(capture, metrics, (files or {}).keys())
    if log_run is not None:
        from trexreport.reader.log_sources import with_log_run

        capture = with_log_run(capture, log_run)
    return capture


def locate_with_model(paths: Sequence[str | Path], files: Mapping[str, str | Path] | None = None) -> Capture:
    """Return the files of one engine, with the ONNX model beside them that it was built from.

    Raises:
        InputError: As `locate`.
    """
    capture = locate(paths, files)
    if (
        not capture.models
        and not capture.model_folder
        and all(source.role != "onnx" for source in capture.sources)
    ):
        return capture
    # Imported late: few captures have a model.
    from trexreport.reader.onnx.companion import with_model

    return with_model(capture)


__all__ = ["add_runs", "assemble", "is_capture", "locate", "locate_with_model", "read_engine"]
