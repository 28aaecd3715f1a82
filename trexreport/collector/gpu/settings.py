"""Lock the clocks and limit the power of a GPU for as long as a measurement takes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from trexreport.collector.interruption import signals_wait

_PROGRAM = Path(__file__).with_name("holder.py")
#: Putting two settings back takes milliseconds; a driver that hangs is not waited for.
_LONGEST_RESET_S = 15.0
#: Setting to its message if it fails, and the flags of nvidia-smi that set it and put it back.
_BY_HAND = {
    "clocks": ("The clocks were not locked", "--lock-gpu-clocks", "--reset-gpu-clocks"),
    "power": ("The power limit was not set", "--power-limit", "--power-limit with its old value"),
}


class HeldSettings:
    """Settings of one GPU, which a child process puts back on request, and when this process ends.

    Attributes:
        values: What was set, under "clocks" (MHz or "sustained") and "power" (W).
        notes: Gets what could not be set or put back, and what to do about it.
    """

    def __init__(self, uuid: str, notes: list[str]) -> None:
        self.values: dict[str, float | int | str] = {}
        self.notes = notes
        self._uuid = uuid
        self._holder: subprocess.Popen[str] | None = None

    def hold(self, setting: str, value: float | None) -> None:
        """Change a setting: "clocks" (MHz; None for the highest sustained) or "power" (W)."""
        answer = self._ask({"setting": setting, "value": value})
        if answer.get("ok"):
            self.values[setting] = answer["value"]
            return
        failed, flag, undo = _BY_HAND[setting]
        hint = ""
        if answer.get("permission"):
            by_hand = f"{flag}={'MHZ' if value is None else f'{value:g}'}"
            hint = (
                f" Only root may: run this with sudo, or before it sudo nvidia-smi -i {self._uuid} {by_hand} "
                f"and after it {undo}."
            )
        self.notes.append(f"{failed}: {answer.get('error', 'no answer')}.{hint}")

    def put_back(self) -> None:
        """End the holder, which puts everything back, and say so if it did not."""
        with signals_wait():
            self._end_holder()

    def _end_holder(self) -> None:
        holder, self._holder = self._holder, None
        if holder is None:
            return
        try:
            # Closes its input, which is the sign to end.
            holder.communicate(timeout=_LONGEST_RESET_S)
            status = holder.returncode
        except (OSError, subprocess.TimeoutExpired):
            status = 1
        if status and self.values:
            commands = {"clocks": "--reset-gpu-clocks", "power": "--power-limit=WATTS"}
            undo = " ".join(commands[setting] for setting in self.values)
            self.notes.append(
                "The GPU's settings may not have been put back. "
                f"Do it by hand: sudo nvidia-smi -i {self._uuid} {undo}"
            )

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request to the holder and return its answer."""
        try:
            with signals_wait():
                holder = self._holder = self._holder or self._start()
            if holder.stdin is None or holder.stdout is None:
                return {}
            holder.stdin.write(json.dumps(request) + "\n")
            holder.stdin.flush()
            answer = json.loads(holder.stdout.readline())
        except (OSError, ValueError):
            return {"error": "the process that is to put them back afterward does not run"}
        return answer if isinstance(answer, dict) else {}

    def _start(self) -> subprocess.Popen[str]:
        # In a session of its own, so that Ctrl-C and a hang-up of the terminal do not reach it.
        return subprocess.Popen(
            [sys.executable, str(_PROGRAM), self._uuid],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
