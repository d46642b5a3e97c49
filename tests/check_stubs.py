"""Compare the stub of the compiled core with what it has: mypy's stubtest, taught to read functions of nanobind.

stubtest takes them for objects that are no functions, since they are not of Python's own types. Their names, the names
of their arguments and the defaults are compared.
"""

import ast
import inspect
import re
import sys
import tempfile

from mypy import stubtest

from segscore import _core

is_function, signature_of = stubtest.is_probably_a_function, stubtest.safe_inspect_signature


def is_bound(runtime):
    return type(runtime).__name__ in ("nb_func", "nb_method")


def signature(runtime):
    """Return the signature of a function, also of one of nanobind."""
    if not is_bound(runtime):
        return signature_of(runtime)
    if len(runtime.__nb_signature__) != 1:
        return None  # overloads
    # Arrays are written as Python could not read them, and \0 stands for the first default.
    text = re.sub(r"ndarray\[[^\]]*\]", "object", runtime.__nb_signature__[0][0]).replace("= \\", "= ")
    arguments = ast.parse(f"{text}: ...").body[0].args
    named = arguments.posonlyargs + arguments.args
    optional = len(named) - len(arguments.defaults)
    kinds = [inspect.Parameter.POSITIONAL_ONLY] * len(arguments.posonlyargs)
    kinds += [inspect.Parameter.POSITIONAL_OR_KEYWORD] * len(arguments.args)
    return inspect.Signature(
        inspect.Parameter(argument.arg, kind, default=inspect.Parameter.empty if k < optional else ...)
        for k, (argument, kind) in enumerate(zip(named, kinds, strict=True))
    )


if __name__ == "__main__":
    stubtest.is_probably_a_function = lambda runtime: is_bound(runtime) or is_function(runtime)
    stubtest.safe_inspect_signature = signature
    # The stub has one line for all metrics of the catalog, and nanobind's own kind of class is none of its business.
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as allowed:
        names = [metric[0] for metric in _core.metrics()]
        names += ["Plan", "RunningPairs", "RunningAreas", "WindowedPairs", "WindowedAreas"]
        names += ["RunningDetections", "RunningDetectionsInTime"]
        allowed.write("\n".join(rf"segscore\._core\.{name}" for name in names))
        allowed.flush()
        sys.argv[1:] = ["segscore._core", "--allowlist", allowed.name]
        sys.exit(stubtest.main())
