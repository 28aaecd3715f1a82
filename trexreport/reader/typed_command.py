"""Find command lines of trtexec as people write them, in a log without trtexec's own first line."""

from __future__ import annotations

from dataclasses import dataclass, field

from trexreport.regex import regex

#: What precedes the program: a prompt, other programs and variables that it is run with, its folder.
_TYPED = regex(
    r"(?:(?:\([^()\s]{1,40}\) ?)?"
    r"(?:\[[^\[\]]{1,100}\]|(?:PS )?\S{0,200}|[^\s@]{1,40}@\S{1,80} \S{1,200} ?)[$#>%] ?"
    r"|(?:[Cc]ommand(?: line)?|[Cc]md|CMD) ?[:=] ?)?"
    r"(?:(?:sudo|time|nohup|exec)(?: -\w{1,20})? |[A-Z_]\w{0,60}=\S{0,200} |\+ ){0,5}"
    r"(?:\S{0,400}[/\\])?(?P<program>trtexec|tensorrt_rtx)(?:\.exe)?(?= --\w)"
)
#: How a shell's line goes on in the next one.
_GOES_ON = regex(r"\s*[\\^`]$")
#: What a shell does with the output.
_REDIRECTION = regex(r"\s(?:\d?>|\||&|;|2>&1).*$")
#: Without one of these trtexec has nothing to run.
_RUNS = regex(r"--(?:onnx|uff|deploy|model|loadEngine)=\S")
_MOST_LINES = 100


@dataclass
class TypedCommands:
    """The command lines among the lines of one run.

    Attributes:
        before: The one before all output, where a terminal shows it.
        mentioned: Those after it, which may be of any run; only whole ones, without other words.
    """

    before: str = ""
    mentioned: list[str] = field(default_factory=list)
    _open: str = ""
    _lines: int = 0

    def take(self, text: str, *, has_output: bool) -> None:
        """Read a line that is not trtexec's.

        Args:
            text: The line.
            has_output: Whether the run printed something before.
        """
        if self._open and self._lines < _MOST_LINES:
            command = f"{self._open} {text.strip()}"
        else:
            command, self._lines = typed_command(text), 0
        if not command:
            return
        self._open = _GOES_ON.sub("", command) if _GOES_ON.search(command) else ""
        if self._open:
            self._lines += 1
        elif has_output or self.before:
            if is_whole(command):
                self.mentioned.append(_REDIRECTION.sub("", command))
        else:
            self.before = _REDIRECTION.sub("", command)


def typed_command(text: str) -> str:
    """Return the command line of trtexec that a line without trtexec's prefix is, or an empty text."""
    if "trtexec" not in text and "tensorrt_rtx" not in text:
        return ""
    line = text.strip()
    if line[:1] == "`":
        line = line.strip("`")
    found = _TYPED.match(line)
    return f"{found['program']}{line[found.end() :]}" if found else ""


def is_whole(command: str) -> bool:
    """Return whether a command line runs something and has nothing but options."""
    words = _REDIRECTION.sub("", command).split()[1:]
    return bool(_RUNS.search(command)) and all(word.startswith("--") for word in words)
