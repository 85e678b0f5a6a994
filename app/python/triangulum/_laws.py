"""Typed laws: the text of an energy, checked, with its parameters as keywords."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from . import _arrays, _core

Laws = Mapping[str, Any]


class Law(str):
    """The text of a typed law, as law() makes it: a str that forces(), Simulation() and laws= take."""

    __slots__ = ("over",)
    over: Literal["pairs", "triples"]


def law(text: str, *, over: Literal["pairs", "triples"] = "pairs", **parameters: _arrays.Number) -> Law:
    """A law of your own by its energy: law('4*eps*((s/r)^12 - (s/r)^6)', eps=1, s=0.34, cutoff=0.85).

    text: the energy of a pair in r, mi, mj, ri, rj, qi, qj, or of a triple in its sides a, b, c, with definitions after
    ';' (docs/laws.md). over: 'pairs' or 'triples'. parameters: numbers by name; one that the text has is replaced.

    Raises ValueError, with the place in the text and what to do.
    """
    if not isinstance(text, str):
        raise TypeError(f"text is a {type(text).__name__}; give the energy as a text, such as '-mi*mj/r'.")
    if over not in ("pairs", "triples"):
        raise ValueError(f"over is {over!r}; give 'pairs' or 'triples'.")
    for name, value in parameters.items():
        if isinstance(value, (bool, np.bool_)):
            value = int(value)
        if not isinstance(value, numbers.Real):
            raise TypeError(f"{name} is a {type(value).__name__}; give a number.")
        number = _arrays.number(name, value)
        if not math.isfinite(number):
            raise ValueError(f"{name} is {number}; give a finite number.")
        text, found = re.subn(rf"((?:^|[;\n])\s*{re.escape(name)}\s*=)[^;\n]*", rf"\g<1> {number!r}", text, count=1)
        if not found:
            text = f"{text.rstrip().rstrip(';')}; {name} = {number!r}"
    _core.check_law(text, over == "triples")
    made = Law(text)
    made.over = over
    return made


def _is_text(law: str) -> bool:
    """Names of laws are letters, digits, '-' and '_'."""
    return isinstance(law, Law) or re.fullmatch(r"[A-Za-z0-9_-]*", law) is None


def _typed(text: str, parameters: dict) -> Laws:
    typed = law(text, over=getattr(text, "over", "pairs"), **parameters)
    return {"pair": typed, "triple": "none"} if typed.over == "pairs" else {"pair": "none", "triple": typed}


def _refuse_unknown(parameters: dict, *more: str) -> None:
    for name in parameters:
        if name not in (*_core.law_parameters, *more):
            known = ", ".join(_core.law_parameters)
            raise TypeError(
                f"unexpected keyword {name!r}: no argument, and no parameter of a law ({known}). Keys of a scene stand "
                f"in its name: 'plummer:n=1000'."
            )


def _law(law: str | Laws, parameters: dict) -> Laws:
    """As a dict that names both laws."""
    if isinstance(law, Mapping):
        if parameters:
            raise TypeError(f"law is a dict, so {next(iter(parameters))!r} belongs into it.")
        if "pair" not in law and "triple" not in law:
            raise ValueError("law names no law; give a 'pair' or a 'triple', such as {'pair': 'gravity'}.")
        law = {"pair": "none", "triple": "none", **law}
    elif isinstance(law, str) and _is_text(law):
        law = _typed(law, parameters)
    elif isinstance(law, str):
        if law not in _core.pair_laws + _core.triple_laws:
            names = ", ".join(_core.pair_laws + _core.triple_laws)
            raise ValueError(f"law is {law!r}; give an energy such as '-mi*mj/r', or one of {names}.")
        _refuse_unknown(parameters, "walls", "low", "high", "field", "units")
        kinds = ("triple", "pair") if law in _core.triple_laws else ("pair", "triple")
        law = {kinds[0]: law, kinds[1]: "none", **parameters}
    else:
        raise TypeError(f"law is a {type(law).__name__}; give a name such as 'gravity', or a dict.")
    if "field" in law:
        raise ValueError("field is a uniform acceleration and no law of pairs or triples; add m * field yourself.")
    return law
