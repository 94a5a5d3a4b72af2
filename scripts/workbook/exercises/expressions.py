"""The little language in which a question says what its answer is: `fsync.p99_ms / os.p99_ms`.

A name is `run.figure`; the figures are those of `measured.figures`. There are numbers, texts, + - * /, parentheses, and
the functions `largest(run.table)`, the name with the greatest number, and `share(run.table, "name")`, from 0 to 1.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from workbook.failure import Failure

OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def evaluate(expression: str, runs: Mapping[str, Mapping[str, Any]]) -> float | str:
    """Raises a Failure when the expression is not of this language, or a figure is missing."""
    try:
        tree = ast.parse(expression, mode="eval").body
    except SyntaxError as problem:
        raise Failure(f"not an expression: {expression!r}: {problem.msg}") from problem
    value = _value(tree, runs)
    if not isinstance(value, (int, float, str)):
        raise Failure(f"{expression!r} is neither a number nor a text")
    return value


def names(expression: str) -> set[str]:
    """The runs that the expression needs."""
    found = set()
    for node in ast.walk(ast.parse(expression, mode="eval")):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found.add(node.value.id)
    return found


def _value(node: ast.expr, runs: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=value) if isinstance(value, (int, float, str)):
            return value
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            a, b = _number(_value(left, runs)), _number(_value(right, runs))
            if isinstance(op, ast.Div) and b == 0:
                raise Failure("a figure that is divided by is 0")
            return OPERATORS[type(op)](a, b)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_number(_value(operand, runs))
        case ast.Name(id=name):
            return _member(runs, name)
        case ast.Attribute(value=owner, attr=name):
            return _member(_value(owner, runs), name)
        case ast.Call(func=ast.Name(id="largest"), args=[table]):
            return _largest(_value(table, runs))
        case ast.Call(func=ast.Name(id="share"), args=[table, ast.Constant(value=str(name))]):
            return _share(_value(table, runs), name)
    raise Failure(f"not allowed in an expression: {ast.unparse(node)}")


def _member(owner: Any, name: str) -> Any:
    if isinstance(owner, Mapping) and name in owner:
        return owner[name]
    known = ", ".join(owner) if isinstance(owner, Mapping) else "none"
    raise Failure(f"there is no figure {name!r}; there are {known}")


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Failure(f"{value!r} is not a number")
    return float(value)


def _largest(table: Any) -> str:
    if not isinstance(table, Mapping) or not table:
        raise Failure("largest() needs a table of numbers")
    return str(max(table, key=lambda name: _number(table[name])))


def _share(table: Any, name: str) -> float:
    if not isinstance(table, Mapping):
        raise Failure("share() needs a table of numbers")
    total = sum(_number(value) for value in table.values())
    return _number(table.get(name, 0)) / total if total else 0.0
