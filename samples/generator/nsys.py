"""Write SQLite exports of Nsight Systems by their documented schema, in the forms of several versions.

Source: SQLite Export Schema Reference of Nsight Systems 2021.5 to 2026.2. Columns that no reader of kernels
needs are left out. Times are in ns.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROCESS = (0x1000001 << 24) + (4711 << 24)
THREAD = PROCESS | 4712
#: NVTX: a range of push and pop, one of start and end, the creation of a domain.
PUSH_POP, START_END, DOMAIN = 59, 60, 75

_KERNEL = (
    "start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT, globalPid INT, "
    "demangledName INT, shortName INT, registersPerThread INT, gridX INT, gridY INT, gridZ INT, "
    "blockX INT, blockY INT, blockZ INT, staticSharedMemory INT, dynamicSharedMemory INT"
)
_KERNEL_LATER = ", mangledName INT, graphNodeId INT"
_TABLES = {
    "StringIds": "id INTEGER PRIMARY KEY, value TEXT NOT NULL",
    "CUPTI_ACTIVITY_KIND_RUNTIME": (
        "start INT, end INT, eventClass INT, globalTid INT, correlationId INT, nameId INT, returnValue INT"
    ),
    "CUPTI_ACTIVITY_KIND_MEMCPY": (
        "start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT, globalPid INT, "
        "bytes INT, copyKind INT"
    ),
    "CUPTI_ACTIVITY_KIND_MEMSET": (
        "start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT, globalPid INT, "
        "value INT, bytes INT"
    ),
    "CUDA_GRAPH_NODE_EVENTS": (
        "start INT, end INT, eventClass INT, globalTid INT, nameId INT, graphNodeId INT, "
        "originalGraphNodeId INT"
    ),
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE": "start INT, end INT, deviceId INT, streamId INT, correlationId INT",
    "META_DATA_EXPORT": "name TEXT, value TEXT",
    "EXPORT_META_DATA": "name TEXT, value TEXT",
    "TARGET_INFO_GPU": "id INT, name TEXT",
}


@dataclass
class NsysExport:
    """An export that is put together event by event.

    Attributes:
        version: Of Nsight Systems. Before 2023 texts of NVTX are in the table itself, and kernels have no
            node of a graph. The table with the version is called EXPORT_META_DATA in 2022 and 2023; before,
            there is none here.
        suffix: What the names of the tables of CUDA end with, such as "_V2".
    """

    version: str = "2026.2.1.210"
    device: str = "NVIDIA H100 80GB HBM3"
    suffix: str = ""
    _texts: dict[str, int] = field(default_factory=dict)
    _rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    _domains: dict[tuple[int, str], int] = field(default_factory=dict)
    _correlation: int = 100

    @property
    def _year(self) -> int:
        return int(self.version.split(".")[0])

    @property
    def _is_early(self) -> bool:
        return self._year < 2023

    def text(self, text: str) -> int:
        """Return the number of a text in `StringIds`."""
        return self._texts.setdefault(text, len(self._texts) + 1)

    def add(self, table: str, **values: Any) -> None:
        """Add a row to a table."""
        self._rows.setdefault(table, []).append(values)

    def mark(
        self,
        begin: int,
        end: int | None,
        name: str,
        domain: str = "TensorRT",
        *,
        thread: int = THREAD,
        style: int = PUSH_POP,
    ) -> None:
        """Add an NVTX range."""
        number = self._domain(domain, thread) if domain else 0
        text = {"text": name} if self._is_early else {"textId": self.text(name)}
        self.add(
            "NVTX_EVENTS", start=begin, end=end, eventType=style, globalTid=thread, domainId=number, **text
        )

    def _domain(self, name: str, thread: int) -> int:
        key = (thread >> 24, name)
        if key not in self._domains:
            self._domains[key] = len(self._domains) + 1
            self.add(
                "NVTX_EVENTS",
                start=0,
                eventType=DOMAIN,
                globalTid=thread,
                text=name,
                domainId=self._domains[key],
            )
        return self._domains[key]

    def call(self, begin: int, end: int, name: str = "cudaLaunchKernel_v7000", thread: int = THREAD) -> int:
        """Add a call of the CUDA API and return its correlation."""
        self._correlation += 1
        self.add(
            "CUPTI_ACTIVITY_KIND_RUNTIME",
            start=begin,
            end=end,
            globalTid=thread,
            correlationId=self._correlation,
            nameId=self.text(name),
        )
        return self._correlation

    def kernel(
        self,
        begin: int,
        end: int,
        name: str,
        call: int,
        *,
        stream: int = 7,
        device: int = 0,
        grid: Sequence[int] = (128, 1, 1),
        block: Sequence[int] = (256, 1, 1),
        registers: int = 64,
        shared: Sequence[int] = (0, 49152),
        node: int | None = None,
        process: int = PROCESS,
    ) -> None:
        """Add a run of a kernel; its name may have template arguments."""
        self.add(
            "CUPTI_ACTIVITY_KIND_KERNEL",
            start=begin,
            end=end,
            deviceId=device,
            streamId=stream,
            correlationId=call,
            globalPid=process,
            demangledName=self.text(name),
            shortName=self.text(name.split("<", maxsplit=1)[0].rsplit(" ", maxsplit=1)[-1]),
            registersPerThread=registers,
            gridX=grid[0],
            gridY=grid[1],
            gridZ=grid[2],
            blockX=block[0],
            blockY=block[1],
            blockZ=block[2],
            staticSharedMemory=shared[0],
            dynamicSharedMemory=shared[1],
            **({} if self._is_early else {"graphNodeId": node}),
        )

    def graph(self, begin: int, end: int, call: int) -> None:
        """Add a launch of a CUDA graph, whose kernels are not recorded."""
        values = {"deviceId": 0, "streamId": 7, "correlationId": call}
        self.add("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", start=begin, end=end, **values)

    def copy(self, begin: int, end: int, size: int, kind: int = 1, *, stream: int = 7) -> None:
        """Add a copy; 1 is host to device, 2 device to host."""
        self.add(
            "CUPTI_ACTIVITY_KIND_MEMCPY",
            start=begin,
            end=end,
            deviceId=0,
            streamId=stream,
            correlationId=0,
            globalPid=PROCESS,
            bytes=size,
            copyKind=kind,
        )

    def node(self, moment: int, node: int, original: int | None = None) -> None:
        """Add the creation of a node of a CUDA graph, or its clone."""
        self.add(
            "CUDA_GRAPH_NODE_EVENTS",
            start=moment,
            end=moment,
            globalTid=THREAD,
            graphNodeId=node,
            originalGraphNodeId=original,
        )

    def write(self, path: Path) -> Path:
        """Write the file and return its path."""
        if self._year >= 2022:
            table = "META_DATA_EXPORT" if self._year >= 2024 else "EXPORT_META_DATA"
            self.add(table, name="EXPORT_PRODUCT_NAME", value="NVIDIA Nsight Systems")
            self.add(table, name="EXPORT_PRODUCT_VERSION", value=self.version)
        self.add("TARGET_INFO_GPU", id=0, name=self.device)
        self._rows["StringIds"] = [{"id": number, "value": text} for text, number in self._texts.items()]
        path.unlink(missing_ok=True)
        with closing(sqlite3.connect(path)) as connection, connection:
            for table, rows in self._rows.items():
                self._write_table(connection, table, rows)
        return path

    def _write_table(
        self, connection: sqlite3.Connection, table: str, rows: Iterable[dict[str, Any]]
    ) -> None:
        name = f"{table}{self.suffix}" if table.startswith("CUPTI") else table
        connection.execute(f"CREATE TABLE {name} ({self._columns(table)})")
        for row in rows:
            columns = ", ".join(row)
            places = ", ".join("?" * len(row))
            # Names of tables and columns are this module's own.
            connection.execute(
                f"INSERT INTO {name} ({columns}) VALUES ({places})",  # noqa: S608
                tuple(row.values()),
            )

    def _columns(self, table: str) -> str:
        if table == "CUPTI_ACTIVITY_KIND_KERNEL":
            return _KERNEL if self._is_early else _KERNEL + _KERNEL_LATER
        if table == "NVTX_EVENTS":
            early = (
                "start INT, end INT, eventType INT, text TEXT, globalTid INT, endGlobalTid INT, domainId INT"
            )
            return early if self._is_early else f"{early}, textId INT"
        return _TABLES[table]


@dataclass(frozen=True)
class TracedKernel:
    """A kernel that each query runs.

    Attributes:
        range: Name of the layer's range; empty for none.
        region: Myelin launches it.
        launch_delay_ns: How long the CPU does something else before it launches the kernel.
        overlaps: It does not wait for the kernels before it.
    """

    range: str
    name: str
    took_ns: int
    stream: int = 7
    region: bool = False
    launch_delay_ns: int = 0
    overlaps: bool = False


#: How long a call that launches a kernel takes, and the shortest time from its end to the kernel's beginning.
CALL_NS, START_NS = 4_000, 2_000


def traced_queries(
    export: NsysExport,
    kernels: Sequence[TracedKernel],
    count: int,
    *,
    begin: int = 10_000_000,
    between_ns: int = 50_000,
    input_bytes: int = 0,
) -> None:
    """Add queries that run kernels in their order, each launched as soon as the CPU can.

    Args:
        export: What they are added to.
        kernels: Of each query.
        count: Queries.
        begin: When the first one begins.
        between_ns: From the end of a query to the call of the next one.
        input_bytes: Copied to the GPU before each query; 0 for no copy.
    """
    now = begin
    for _ in range(count):
        started, free = now, now
        now += 1_000
        if input_bytes:
            export.copy(now, now + 30_000, input_bytes)
            free = now + 30_000
        for each in kernels:
            now += each.launch_delay_ns
            first = now
            call = export.call(now + 200, now + 200 + CALL_NS)
            now += CALL_NS + 400
            launched = first + 200 + CALL_NS + START_NS
            start = launched if each.overlaps else max(free + 1_000, launched)
            export.kernel(start, start + each.took_ns, each.name, call, stream=each.stream)
            free = max(free, start + each.took_ns)
            if each.range:
                export.mark(first, now, each.range)
            if each.region:
                export.mark(first + 50, now - 50, "myelinGraphExecute", "myelin-exec", style=START_END)
        export.mark(started, now, "ExecutionContext::enqueue")
        export.call(now + 500, max(now + 1_000, free + 2_000), "cudaStreamSynchronize_v3020")
        now = max(now + 1_000, free + 2_000) + between_ns
