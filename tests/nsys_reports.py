"""Write the CSV reports of `nsys stats` that an export gives, by NVIDIA's description of their columns."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from statistics import mean, median, pstdev

GPU_TRACE = (
    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),"
    "Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name"
)
LAUNCH_TRACE = (
    "API Start (ns),API Dur (ns),Queue Start (ns),Queue Dur (ns),Kernel Start (ns),Kernel Dur (ns),"
    "Total Dur (ns),PID,TID,DevId,API Function,GridXYZ,BlockXYZ,Kernel Name"
)
RANGE_TRACE = (
    "Name,Projected Start (ns),Projected Duration (ns),Orig Start (ns),Orig Duration (ns),Style,PID,TID,"
    "NumGPUOps,Lvl,NumChild,RangeId,ParentId,RangeStack"
)
RANGE_KERNELS = (
    "NVTX Range,Style,PID,TID,NVTX Inst,Kern Inst,Total Time (ns),Avg (ns),Med (ns),Min (ns),Max (ns),"
    "StdDev (ns),Kernel Name"
)
API_TRACE = "Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name"


def quoted(text: str) -> str:
    """Return a cell as csv writes it."""
    return '"' + text.replace('"', '""') + '"' if set(text) & set(',"\n') else text


def _statistics(times: list[int]) -> list[str]:
    """Return mean, median, shortest, longest and standard deviation as nsys writes them."""
    return [
        f"{mean(times):.1f}",
        f"{median(times):.1f}",
        str(min(times)),
        str(max(times)),
        f"{pstdev(times):.1f}",
    ]


class Reports:
    """The reports of an export that `generator.nsys` wrote."""

    def __init__(self, path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection:
            connection.row_factory = sqlite3.Row
            self._names = {row["id"]: row["value"] for row in connection.execute("SELECT * FROM StringIds")}
            self._kernels = self._rows(connection, "CUPTI_ACTIVITY_KIND_KERNEL")
            self._calls = {
                row["correlationId"]: row for row in self._rows(connection, "CUPTI_ACTIVITY_KIND_RUNTIME")
            }
            self._copies = self._rows(connection, "CUPTI_ACTIVITY_KIND_MEMCPY")
            events = self._rows(connection, "NVTX_EVENTS")
        domains = {row["domainId"]: self._text(row) for row in events if row["eventType"] == 75}
        self._ranges = [
            (row, f"{domains.get(row['domainId'], '')}:{self._text(row)}")
            for row in events
            if row["eventType"] != 75
        ]

    @staticmethod
    def _rows(connection: sqlite3.Connection, table: str) -> list[sqlite3.Row]:
        known = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
        return list(connection.execute(f"SELECT * FROM {table}")) if table in known else []  # noqa: S608

    def _text(self, row: sqlite3.Row) -> str:
        number = row["textId"] if "textId" in row.keys() else None  # noqa: SIM118 - keys of sqlite3.Row
        return row["text"] or self._names.get(number, "")

    def _holding(self, call: sqlite3.Row) -> list[tuple[sqlite3.Row, str]]:
        return [
            (row, name)
            for row, name in self._ranges
            if row["globalTid"] == call["globalTid"]
            and row["start"] <= call["start"]
            and row["end"] >= call["end"]
        ]

    def range_kernels(self) -> str:
        """Return nvtx_kern_sum."""
        sums: dict[tuple, list[int]] = defaultdict(list)
        instances: dict[tuple, set[int]] = defaultdict(set)
        for kernel in self._kernels:
            call = self._calls[kernel["correlationId"]]
            for row, name in self._holding(call) or [(None, "")]:
                key = (name, call["globalTid"], self._names[kernel["demangledName"]])
                sums[key].append(kernel["end"] - kernel["start"])
                if row is not None:
                    instances[key].add((row["start"], row["end"]))
        lines = [RANGE_KERNELS]
        for (name, thread, kernel_name), times in sorted(sums.items()):
            numbers = (len(times), sum(times), *_statistics(times))
            cells = [name, "PushPop", (thread >> 24) & 0xFFFFFF, thread & 0xFFFFFF]
            cells += [len(instances[name, thread, kernel_name]), *numbers, kernel_name]
            lines.append(",".join(quoted(str(cell)) for cell in cells))
        return "\n".join(lines) + "\n"

    def kernels(self) -> str:
        """Return cuda_gpu_kern_sum."""
        sums: dict[str, list[int]] = defaultdict(list)
        for kernel in self._kernels:
            sums[self._names[kernel["demangledName"]]].append(kernel["end"] - kernel["start"])
        lines = ["Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name"]
        whole = sum(map(sum, sums.values()))
        for name, times in sums.items():
            cells = [f"{100 * sum(times) / whole:.1f}", sum(times), len(times)]
            cells += [*_statistics(times), quoted(name)]
            lines.append(",".join(map(str, cells)))
        return "\n".join(lines) + "\n"

    def gpu_trace(self, device: str = "NVIDIA H100 80GB HBM3") -> str:
        """Return cuda_gpu_trace."""
        rows = []
        for row in self._kernels:
            extents = [row[f"{part}{axis}"] for part in ("grid", "block") for axis in "XYZ"]
            cells = [*_span(row), row["correlationId"], *extents, row["registersPerThread"], "0.000", "0.049"]
            cells += [*[""] * 4, f"{device} ({row['deviceId']})", 1, "", row["streamId"]]
            rows.append((row["start"], [*cells, self._names[row["demangledName"]]]))
        for row in self._copies:
            cells = [*_span(row), row["correlationId"], *[""] * 9, "0.600", "20000.000", "Pinned", "Device"]
            cells += [f"{device} ({row['deviceId']})", 1, "", row["streamId"]]
            rows.append((row["start"], [*cells, "[CUDA memcpy Host-to-Device]"]))
        return _table(GPU_TRACE, [cells for _, cells in sorted(rows, key=lambda each: each[0])])

    def launch_trace(self) -> str:
        """Return cuda_kern_exec_trace."""
        rows = []
        for row in self._kernels:
            call = self._calls[row["correlationId"]]
            grid, block = (
                " ".join(f"{row[f'{part}{axis}']:4}" for axis in "XYZ") for part in ("grid", "block")
            )
            cells = [*_span(call), "", "", *_span(row), 0, *_ids(call), row["deviceId"], "cudaLaunchKernel"]
            rows.append([*cells, grid, block, self._names[row["demangledName"]]])
        return _table(LAUNCH_TRACE, rows)

    def range_trace(self) -> str:
        """Return nvtx_gpu_proj_trace."""
        rows = []
        for place, (row, name) in enumerate(self._ranges):
            own = [
                kernel
                for kernel in self._kernels
                if (call := self._calls[kernel["correlationId"]])["start"] >= row["start"]
                and call["end"] <= row["end"]
                and call["globalTid"] == row["globalTid"]
            ]
            if own:
                begin, end = min(each["start"] for each in own), max(each["end"] for each in own)
                cells = [name, begin, end - begin, *_span(row), "PushPop", *_ids(row)]
                rows.append([*cells, len(own), 0, 0, place, "", f":{place}"])
        return _table(RANGE_TRACE, rows)

    def api_trace(self) -> str:
        """Return cuda_api_trace."""
        rows = [
            [*_span(row), self._names[row["nameId"]], 0, row["correlationId"], *_ids(row), 20, "main"]
            for row in self._calls.values()
        ]
        return _table(API_TRACE, rows)


def _span(row: sqlite3.Row) -> tuple[int, int]:
    return row["start"], row["end"] - row["start"]


def _ids(row: sqlite3.Row) -> tuple[int, int]:
    return (row["globalTid"] >> 24) & 0xFFFFFF, row["globalTid"] & 0xFFFFFF


def _table(header: str, rows: list[list]) -> str:
    return "\n".join([header, *(",".join(quoted(str(cell)) for cell in row) for row in rows)]) + "\n"
