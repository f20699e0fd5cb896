# SPDX-License-Identifier: Apache-2.0
"""Arguments of the wrong kind or size, refused before the library sees them, in the words of the command line.

What is no number or no text at all raises TypeError; a number that cannot be raises InputError, as `tilewright map --threads 2000` does.
"""

from __future__ import annotations

import math
import operator
import os
import reprlib
from typing import Any, Dict, List, Mapping, NoReturn, Optional, Sequence, Tuple, Union

from . import _core
from .errors import InputError
from .paths import Path

MOST_THREADS = 1024
MOST_EXTENT = 1_000_000_000  # of a network of the zoo
_MOST = 2**63 - 1
_LONGEST_NAME = 4095  # of a file, as Linux takes them


def usage_error(message: str) -> InputError:
    return InputError(f"error: {message} [usage]", message, "usage", None, None, None)


def error_at(place: str, code: str, message: str) -> InputError:
    """Of an argument that stands for a place, such as a knob with its values."""
    return InputError(f"{place}: error: {message} [{code}]", message, code, place, None, None)


def _kind(name: str, expected: str, value: object) -> NoReturn:
    raise TypeError(f"{name} takes {expected}, found {reprlib.repr(value)}")


def whole(name: str, value: Any, least: int = 0) -> int:
    """A whole number of at least `least` in 64 bits."""
    try:
        number = operator.index(value)
    except TypeError:
        _kind(name, f"a whole number, at least {least}", value)
    if not least <= number <= _MOST:
        raise usage_error(f"{name} takes a whole number, at least {least}, found '{number}'")
    return number


def optional_whole(name: str, value: Any) -> Optional[int]:
    return None if value is None else whole(name, value)


def machine_number(name: str, value: Any) -> Optional[int]:
    """A count of a simulated machine, or None."""
    if value is None:
        return None
    try:
        number = operator.index(value)
    except TypeError:
        _kind(name, "a number from 1 to 1000000", value)
    if not 1 <= number <= 1_000_000:
        raise usage_error(f"{name}: expected a number from 1 to 1000000, found {number}")
    return number


def report_file(source: Any) -> str:
    """The folder of save() or -o by its report.json, or that file."""
    file = path("source", source)
    return os.path.join(file, "report.json") if os.path.isdir(file) else file


def thread_count(value: Any) -> int:
    threads = whole("threads", value)
    if threads > MOST_THREADS:
        raise usage_error(f"threads takes a whole number from 0 to {MOST_THREADS}, found '{threads}'")
    return threads


def candidate_count(value: Any) -> int:
    try:
        count = operator.index(value)
    except TypeError:
        _kind("candidates", "1 to 1000", value)
    if not 1 <= count <= 1000:
        raise usage_error(f"candidates takes 1 to 1000, found {count}")
    return count


def number(name: str, value: Any) -> float:
    """A finite number of at least 0."""
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
        _kind(name, "a number, at least 0", value)
    real = float(value)
    if not (math.isfinite(real) and real >= 0.0):
        raise usage_error(f"{name} takes a number, at least 0, found '{real:g}'")
    return real


def time_limit_or_none(value: Any, name: str = "time_limit") -> Optional[float]:
    """Seconds; an infinite time is no limit."""
    return None if value is None or value == math.inf else number(name, value)


def stop_or_none(value: Any) -> Optional[_core.StopSource]:
    if value is not None and not isinstance(value, _core.StopSource):
        _kind("stop", "a StopSource", value)
    return value


def text_or_empty(name: str, value: Any) -> str:
    if not isinstance(value, str):
        _kind(name, "a text", value)
    return value


def text(name: str, value: Any) -> str:
    if text_or_empty(name, value) == "":
        raise usage_error(f"{name} needs a value, found an empty one")
    return str(value)


def _refuse_contents(name: str, given: str) -> None:
    """What is no name of anything, but what a file would hold."""
    if len(given) > _LONGEST_NAME or "\n" in given or "\0" in given:
        raise usage_error(f"{name} takes a name, found {len(given)} characters that begin with {given[:30]!r}")


def name_of(name: str, value: Any) -> str:
    """A name of the zoo."""
    given = text(name, value)
    _refuse_contents(name, given)
    return given


def optional_text(name: str, value: Any) -> Optional[str]:
    return None if value is None else text(name, value)


def contents(name: str, value: Any) -> str:
    """What a file would hold, as text or as bytes of UTF-8."""
    return text(name, bytes(value).decode("utf-8", errors="replace") if isinstance(value, (bytes, bytearray, memoryview)) else value)


def switch(name: str, value: Any) -> bool:
    if not isinstance(value, bool) and not (hasattr(value, "__bool__") and hasattr(value, "__and__")):
        _kind(name, "True or False", value)
    return bool(value)


def path(name: str, value: Any) -> str:
    """The path as text, of a text or of an object that is a path."""
    try:
        given = os.fsdecode(os.fspath(value))
    except TypeError:
        _kind(name, "the name of a file", value)
    if given == "":
        raise usage_error("the name of a file is empty")
    _refuse_contents(name, given)
    return given


def optional_path(name: str, value: Any) -> Optional[str]:
    return None if value is None else path(name, value)


def texts(name: str, value: Any) -> List[str]:
    """Of one text or of several; None is none."""
    if value is None:
        return []
    if isinstance(value, str):
        return [text(name, value)]
    if not isinstance(value, Sequence):
        _kind(name, "texts", value)
    given = [text_or_empty(name, one) for one in value]
    if given == [""]:
        text(name, "")
    if "" in given:
        raise usage_error(f"{name} has an empty entry in '{','.join(given)}'")
    return given


def extents(name: str, value: Any) -> Dict[str, int]:
    """Names and whole numbers of at least 1."""
    if not isinstance(value, Mapping):
        _kind(name, "names and extents", value)
    given: Dict[str, int] = {}
    for key, extent in value.items():
        try:
            count = operator.index(extent)
        except TypeError:
            _kind(name, "NAME=EXTENT with an extent of at least 1", f"{key}={extent}")
        if not (isinstance(key, str) and key and 1 <= count <= _MOST):
            raise usage_error(f"{name} takes NAME=EXTENT with an extent of at least 1, found '{key}={count}'")
        given[key] = count
    return given


def zoo_extents(name: str, value: Any) -> Dict[str, int]:
    given = extents(name, value)
    for key, extent in given.items():
        if extent > MOST_EXTENT:
            raise usage_error(f"{name} {key}={extent} is too large; the most is {MOST_EXTENT}")
    return given


def bit_widths(value: Any) -> List[Tuple[str, str]]:
    """Tensors with their widths as the library reads them: "4", "8/32"."""
    if not isinstance(value, Mapping) or not all(isinstance(tensor, str) for tensor in value):
        _kind("bits", "names of tensors and numbers of bits", value)
    return [(tensor, width if isinstance(width, str) else _bits_text(tensor, width)) for tensor, width in value.items()]


def _bits_text(tensor: str, width: Any) -> str:
    try:
        return str(operator.index(width))
    except TypeError:
        _kind("bits", "TENSOR=BITS with whole numbers or texts such as '8/32'", f"{tensor}={width}")


def files(name: str, value: Union[Path, Sequence[Path]]) -> List[str]:
    """One file or several."""
    if isinstance(value, (list, tuple)):
        return [path(name, one) for one in value]
    return [path(name, value)]


def callback(value: Any) -> Any:
    if value is not None and not callable(value):
        _kind("progress", "a function", value)
    return value
