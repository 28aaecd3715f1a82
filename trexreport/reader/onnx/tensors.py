"""Types and shapes of tensors, without their values. Field numbers: onnx.proto of ONNX 1.23."""

from __future__ import annotations

from dataclasses import dataclass

from trexreport.model.onnx import Extent, OnnxInitializer, OnnxValue
from trexreport.reader.onnx.wire import Sized, Span, WireError, WireFile, enumerator, integers, signed

_DATA_TYPES = (
    *("", "FLOAT", "UINT8", "INT8", "UINT16", "INT16", "INT32", "INT64", "STRING", "BOOL", "FLOAT16"),
    *("DOUBLE", "UINT32", "UINT64", "COMPLEX64", "COMPLEX128", "BFLOAT16", "FLOAT8E4M3FN", "FLOAT8E4M3FNUZ"),
    *("FLOAT8E5M2", "FLOAT8E5M2FNUZ", "UINT4", "INT4", "FLOAT4E2M1", "FLOAT8E8M0", "UINT2", "INT2"),
    *("FLOAT6E2M3", "FLOAT6E3M2"),
)
#: Tags of TypeProto.tensor_type and sparse_tensor_type; the others are lists, maps and optional values.
_TENSOR, _SPARSE_TENSOR = 0x0A, 0x42
_OTHER_TYPES = frozenset({0x22, 0x2A, 0x3A, 0x4A})
#: TensorProto.DataLocation.
_EXTERNAL = 1


@dataclass(slots=True)
class _Type:
    """What was read of a type: its members may be stated in several parts."""

    member: int = 0
    data_type: str = ""
    shape: list[Extent] | None = None


def read_value(file: WireFile, message: Sized) -> OnnxValue:
    """Read a ValueInfoProto.

    Raises:
        WireError: It is not a message.
    """
    file.keep()
    name = ""
    of_value = _Type()
    for tag, _, value in file.fields(message):
        if tag == 0x0A:
            name = file.text(value)
        elif tag == 0x12:
            _read_type(file, value, of_value)
    shape = None if of_value.shape is None else tuple(of_value.shape)
    return OnnxValue(name, of_value.data_type, shape)


def read_initializer(file: WireFile, message: Sized) -> OnnxInitializer:
    """Read a TensorProto without its values.

    Raises:
        WireError: It is not a message.
    """
    file.keep()
    name, data_type, location = "", "", 0
    dims: list[int] = []
    raw_bytes = external_bytes = None
    for tag, integer, value in file.fields(message):
        if tag == 0x42:
            name = file.text(value)
        elif tag == 0x10:
            data_type = _data_type(integer)
        elif tag == 0x70:
            location = enumerator(integer, _EXTERNAL, location)
        elif tag == 0x4A:
            raw_bytes = value.end - value.begin if isinstance(value, Span) else len(value)
        elif tag == 0x6A:
            key, text = read_entry(file, value)
            if key == "length" and text.isdecimal() and len(text) < 19:
                external_bytes = int(text)
        else:
            _take_dims(dims, tag, 0x08, integer, value)
    is_external = location == _EXTERNAL
    size = external_bytes if is_external else raw_bytes
    return OnnxInitializer(name, data_type, tuple(dims), is_external, size)


def read_sparse_initializer(file: WireFile, message: Sized) -> OnnxInitializer:
    """Read a SparseTensorProto without its values.

    Raises:
        WireError: It is not a message.
    """
    values = OnnxInitializer("")
    dims: list[int] = []
    for tag, integer, value in file.fields(message):
        if tag == 0x0A:
            values = read_initializer(file, value)
        else:
            _take_dims(dims, tag, 0x18, integer, value)
    return OnnxInitializer(values.name, values.data_type, tuple(dims), values.is_external)


def read_entry(file: WireFile, message: Sized) -> tuple[str, str]:
    """Read a StringStringEntryProto: key and value.

    Raises:
        WireError: It is not a message.
    """
    key = text = ""
    for tag, _, value in file.fields(message):
        if tag == 0x0A:
            key = file.text(value)
        elif tag == 0x12:
            text = file.text(value)
    return key, text


def _take_dims(dims: list[int], tag: int, of_one: int, integer: int, value: Sized) -> None:
    """Add extents, which are written one by one or as a packed list."""
    if tag == of_one:
        dims.append(signed(integer))
    elif tag == of_one + 2:
        extents = None if isinstance(value, Span) else integers(value)
        if extents is None:
            raise WireError("a tensor has more extents than any can have")
        dims.extend(extents)


def _read_type(file: WireFile, message: Sized, found: _Type) -> None:
    for tag, _, value in file.fields(message):
        if tag in (_TENSOR, _SPARSE_TENSOR):
            if tag != found.member:
                found.member, found.data_type, found.shape = tag, "", None
            _read_tensor_type(file, value, found)
        elif tag in _OTHER_TYPES:
            found.member, found.data_type, found.shape = tag, "", None


def _read_tensor_type(file: WireFile, message: Sized, found: _Type) -> None:
    for tag, integer, value in file.fields(message):
        if tag == 0x08:
            found.data_type = _data_type(integer)
        elif tag == 0x12:
            shape = found.shape = found.shape or []
            shape.extend(
                _read_extent(file, each) for dim_tag, _, each in file.fields(value) if dim_tag == 0x0A
            )


def _read_extent(file: WireFile, message: Sized) -> Extent:
    extent: Extent = ""
    for tag, integer, value in file.fields(message):
        if tag == 0x08:
            extent = signed(integer)
        elif tag == 0x12:
            extent = file.text(value)
    return extent


def _data_type(integer: int) -> str:
    code = integer & 0xFFFF_FFFF
    return _DATA_TYPES[code] if code < len(_DATA_TYPES) else f"type {code}"
