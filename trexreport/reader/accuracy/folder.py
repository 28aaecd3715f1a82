"""Read a folder of outputs: what Polygraphy writes to a path without an ending, one file for each iteration.

Source: polygraphy/json/serde.py (`iterate_from_files`), 0.53: `0000000000.json` and so on in the order
of their names. Each holds the outputs of all runners for one input.
"""

from __future__ import annotations

from pathlib import Path

from trexreport.errors import InputError
from trexreport.numbers import format_limit
from trexreport.reader.accuracy.limits import LARGEST_BYTES, MOST_ITERATIONS
from trexreport.reader.files import explained_reading, read_bytes

#: What trtexec writes into the folder that it runs in.
_SUMMARY = "tensor_summary.json"


def read_folder(folder: Path) -> tuple[str, bytes]:
    """Return the name and the content of the files in a folder, as one JSON list.

    Raises:
        InputError: There are none, or more than fit into memory.
    """
    with explained_reading(folder):
        files = sorted(each for each in folder.iterdir() if each.suffix.lower() == ".json" and each.is_file())
    summary = next((each for each in files if each.name == _SUMMARY), None)
    if summary is not None:
        return summary.name, read_bytes(summary)
    if not files:
        raise InputError(
            f"{folder} has no accuracy file.",
            "Name the file, or the folder of Polygraphy's --save-outputs.",
        )
    parts: list[bytes] = []
    size = 0
    for path in files[:MOST_ITERATIONS]:
        data = read_bytes(path)
        size += len(data) + 1
        if size > LARGEST_BYTES:
            raise InputError(
                f"The files in {folder} are larger than {format_limit(LARGEST_BYTES)} together.",
                "Save fewer iterations or tensors, or Polygraphy's --save-accuracy-results.",
            )
        parts.append(data.removeprefix(b"\xef\xbb\xbf").strip() or b"null")
    return f"{folder.name}.json", b"[" + b",".join(parts) + b"]"
