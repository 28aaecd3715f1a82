"""Find what is a capture among the files below a folder, by the rules by which one is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from trexreport.lazy_dataclass import dataclass
from trexreport.reader.phase_list import LARGEST_LIST_BYTES, LIST_NAME, listed_paths
from trexreport.reader.roles import role_of_marks, split_name
from trexreport.site.folders import InputFolder, hash_of

#: What each site has at its top: captures in such a folder are ignored.
MANIFEST_NAME = "trexreport-site.json"
_HEAD_BYTES = 65_536
_ARCHIVES = (".tea", ".trexa")
_REPORTS = (".html", ".htm", ".pdf")
_READ = (".json", ".log", ".txt", ".csv", ".trace")
#: Roles that make a report of their own, without layer information.
_MEASURED = frozenset({"manifest", "profile", "timing", "log", "execution", "layer-table"})


@dataclass(frozen=True)
class Found:
    """What may be a capture.

    Attributes:
        place: Label of the folder that was given and the path in it: what its address is made of.
        paths: What the reader is given, relative to the folder.
        files: All files that it may read there.
        version: Changes when one of them does; "" if that is not known.
        kind: "capture", "set" of phases, "archive" or "report"; of the last, most are other pages.
        origin: Its real place, where `place` is redacted.
    """

    folder: InputFolder
    place: str
    paths: tuple[str, ...]
    files: tuple[str, ...]
    version: str
    kind: str = "capture"
    origin: str = ""


_Make = Callable[[str, Iterable[str], Iterable[str]], Found]


def discover(folder: InputFolder, *, with_sets: bool = True) -> list[Found]:
    """Return what may be a capture below a folder, in the order of places.

    Args:
        folder: To look at.
        with_sets: Sets of phases are found as one each, else each of their phases.
    """
    files = folder.files()
    by_folder: dict[str, list[str]] = {}
    for name in sorted(files):
        by_folder.setdefault(name.rpartition("/")[0], []).append(name)
    sites = [each for each, names in by_folder.items() if _join(each, MANIFEST_NAME) in names]
    found: list[Found] = []
    for each, names in by_folder.items():
        if not _is_in(sites, each):
            found += _in_folder(folder, each, names, files)
    sets = list(_sets(folder, by_folder, files, sites)) if with_sets else []
    # What is a phase of a set is not an engine of its own.
    of_sets = {name for each in sets for name in each.files}
    found = [each for each in found if each.kind != "capture" or not of_sets.issuperset(each.files)]
    return sorted([*found, *sets], key=lambda each: each.place)


def _sets(
    folder: InputFolder, by_folder: Mapping[str, list[str]], files: Mapping[str, str], sites: Iterable[str]
) -> Iterator[Found]:
    """Yield the folders with a list of phases, each with the files of these."""
    for inside, names in by_folder.items():
        list_name = _join(inside, LIST_NAME)
        if list_name not in names or _is_in(sites, inside):
            continue
        read = [list_name]
        for path in listed_paths(folder.head(list_name, LARGEST_LIST_BYTES)):
            place = inside if path == "." else _join(inside, path)
            if place in files:
                beside = by_folder.get(place.rpartition("/")[0], [])
                read += [name for name in _beside(place, beside) if name not in read]
            else:
                read += [name for name in sorted(files) if name.startswith(f"{place}/") and name not in read]
        versions = [files[name] for name in read]
        known = hash_of(*(part for pair in zip(read, versions, strict=True) for part in pair))
        place = f"{folder.label}/{inside}" if inside else folder.label
        yield Found(
            folder, place, (inside or ".",), tuple(read), known if all(versions) else "", "set", place
        )


def _is_in(sites: Iterable[str], folder: str) -> bool:
    """Return whether a folder is that of a site, or below it."""
    return any(site in (folder, "") or folder.startswith(f"{site}/") for site in sites)


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _in_folder(
    folder: InputFolder, inside: str, names: list[str], files: Mapping[str, str]
) -> Iterator[Found]:
    # Any of them may be the model of an engine beside it.
    models = [name for name in names if name.lower().endswith(".onnx")]

    def make(key: str, paths: Iterable[str], read: Iterable[str], kind: str = "capture") -> Found:
        read = tuple(read)
        concerned = [*read, *models] if kind == "capture" else read
        versions = [files[name] for name in concerned]
        known = hash_of(*(part for pair in zip(concerned, versions, strict=True) for part in pair))
        place = f"{folder.label}/{key}" if key else folder.label
        return Found(folder, place, tuple(paths), read, known if all(versions) else "", kind, place)

    for name in names:
        ending = PurePosixPath(name).suffix.lower()
        if ending in _ARCHIVES:
            yield make(name, [name], _beside(name, names), "archive")
        elif ending in _REPORTS:
            yield make(name, [name], [name], "report")
    readable = [name for name in names if name.lower().endswith(_READ)]
    prefixes = _by_prefix(readable, {PurePosixPath(name).stem for name in names if name.endswith(_ARCHIVES)})
    if len(prefixes) == 1 and _has_one_graph(folder, readable, *prefixes.values()):
        # Files of any name belong to the only engine of a folder.
        yield make(_join(inside, *prefixes), [inside or "."], readable)
        return
    for prefix, members in prefixes.items():
        own = [name for each in members.values() for name in each]
        if "graph" in members:
            yield make(_join(inside, prefix), members["graph"], own)
        elif _MEASURED & set(members):
            yield make(_join(inside, prefix), own, own)
    if not prefixes:
        yield from _by_content(folder, inside, readable, make)


def _beside(name: str, names: list[str]) -> list[str]:
    """Return an archive and the files that the naming convention puts beside it."""
    prefix = name.rpartition(".")[0]
    return [name, *(each for each in names if split_name(each)[0] == prefix)]


def _by_prefix(names: Iterable[str], archived: set[str]) -> dict[str, dict[str, list[str]]]:
    """Return the files that follow the naming convention: their prefix to role to names."""
    found: dict[str, dict[str, list[str]]] = {}
    for name in names:
        prefix, role = split_name(PurePosixPath(name).name)
        if prefix is not None and role is not None and prefix not in archived:
            found.setdefault(prefix, {}).setdefault(role, []).append(name)
    return found


def _has_one_graph(folder: InputFolder, names: Iterable[str], named: Mapping[str, list[str]]) -> bool:
    """Return whether one engine's layers are among files, of which `named` follow the naming convention."""
    if "graph" in named:
        return True
    others = set(names).difference(*named.values())
    return [role_of_marks(folder.head(name, _HEAD_BYTES)) for name in others].count("graph") == 1


def _by_content(folder: InputFolder, inside: str, names: list[str], make: _Make) -> Iterator[Found]:
    """Find captures among files that follow no convention: only words that nothing else has make one."""
    roles = {name: role_of_marks(folder.head(name, _HEAD_BYTES)) for name in names}
    graphs = [name for name, role in roles.items() if role == "graph"]
    if len(graphs) > 1:
        for name in graphs:
            yield make(name, [name], names)
    elif graphs or any(role in _MEASURED for role in roles.values()):
        yield make(inside, [inside or "."], names)
