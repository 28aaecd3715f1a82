"""How redaction recognizes words, paths and what identifies a machine."""

from __future__ import annotations

import re

from trexreport.regex import regex

#: Hexadecimal numbers are passed over; "selfAttn" is two words, and so is "ONNXParser". A hash is one: of a
#: public model it identifies the model, and so would half of it.
PIECE = regex(
    r"0[xX][0-9a-fA-F]+|(?<![0-9A-Za-z])[0-9a-fA-F]{32,}(?![0-9A-Za-z])|(?<![A-Za-z])(?:[A-Za-z]*[^\x00-\x7f])+[A-Za-z]*"
    r"|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[^\x00-\x7f]+"
)
ESCAPE = regex(r"\\u([0-9a-fA-F]{4})")

#: Bounded, as names of files are, so that no line of a hostile file takes long.
_COMPONENT = r"[^\s\\/\"'`,;:=()\[\]{}<>|*?]{1,255}"
_INNER = rf"{_COMPONENT}(?: {_COMPONENT}){{0,3}}"
PATH = regex(
    r"(?<![^\s\"'`,;:=()\[\]{}<>|*?])(?:[A-Za-z]:)?"
    rf"(?:{_INNER})?(?:[\\/]+{_INNER}(?=[\\/]))*[\\/]+(?:{_COMPONENT})?"
)
URL = regex(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s\"'<>]+", re.IGNORECASE)
#: How a path begins that can't be the name of a layer, which may begin with a slash, too.
ABSOLUTE = regex(
    r"[A-Za-z]:[\\/]|\\\\|~/|/(?:home|root|mnt|data|workspace|opt|srv|tmp|usr|var|media|nfs|scratch|Users)/"
)
#: A frame of a stack trace: its file, in which the folder before an installed package may be private.
FRAME = regex(
    r'(?<=File ")([^"\n]{0,1000}?(?<=["\\/])'
    r"(?=(?:(?:site|dist)-packages|torch[\\/](?:nn|_dynamo|fx|export))[\\/]))?"
    r'([^"\n]{1,1000})(?=")'
)
PATH_KEYS = frozenset({"path", "model", "loadengine", "saveengine", "log"})
#: The last two are lists of tensors in an ONNX model.
NAME_KEYS = frozenset({"Name", "name", "Metadata", "Origin", "inputs", "outputs"})
LAYER_ROLES = frozenset(
    {"graph", "profile", "samples", "onnx", "execution", "accuracy", "kernels", "layer-table"}
)

BOARD = regex(
    r"\b(?:GPU|MIG|DLA)-[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{2,12}){2,5}\b|\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"
)
BUS = regex(r"\b[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-9a-fA-F]\b")
MAC = regex(r"\b[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5}\b")
#: Of eight groups, or shortened by "::"; C++ writes "::" too, but rarely with a digit in front.
SIX = regex(
    r"(?<![\w:.])(?:(?:[0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}"
    r"|(?=[a-fA-F]{0,3}\d)[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{1,4}){0,6}::(?:[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{1,4}){0,6})?)"
    r"(?!\w|:\w)"
)
#: As logs of systems, of schedulers and of nvidia-smi state what is not a word.
STATED = regex(
    r"(?<![A-Za-z])((?:serial(?:[ _-]?(?:number|no\.?))?|(?:host|node|user|log)[ _-]?name|node[ _-]?list|user"
    r"|(?:job|machine|boot|container)[ _-]?id)\s{0,40}[:=]\s{0,3})([^\s,;:\"'()]{2,128})",
    re.IGNORECASE,
)
#: Containers, machines and jobs are called by hashes, whole or shortened.
HASH = regex(r"(?<![\w.-])(?=[a-f]{0,63}\d)(?=\d{0,63}[a-f])[0-9a-f]{12,64}(?![\w.-])")
QUAD = regex(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])")
VERSION_BEFORE = regex(
    r"(?:tensorrt|version|cuda|cudnn|cublas|driver|build|\bv)\W*(?:\w+\W+)?$", re.IGNORECASE
)
AT = regex(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)*")
DOMAIN = regex(
    r"(?<![\w.-])(?:[\w-]+\.)+(?:com|org|net|io|ai|dev|edu|gov|local|lan|internal|intranet|corp|home)\b"
)
HOME = regex(r"(?:/home/|/Users/|[\\/]Users[\\/]|~)([\w.@-]+)")
HOST_TEXTS = (BOARD, BUS, MAC, SIX, AT, DOMAIN)
#: Without what is between words, in lower case.
HOST_KEYS = frozenset(
    {"uuid", "gpuuuid", "deviceuuid", "selecteddeviceuuid", "serial", "serialnumber", "gpuserial", "boardid"}
    | {"boardserialnumber", "deviceserial", "pcibusid", "busid", "machineid", "bootid", "containerid"}
    | {"host", "hostname", "node", "nodename", "nodelist", "fqdn", "computername", "platform", "program"}
    | {"user", "username", "login", "logname", "sudouser", "email", "ip", "ipaddress", "mac", "macaddress"}
    | {"sshclient", "sshconnection", "slurmnodelist", "slurmjobnodelist", "slurmdnodename", "slurmjobid"}
    | {"cwd", "pwd"}
)
BETWEEN_WORDS = regex(r"[\W_]+")
