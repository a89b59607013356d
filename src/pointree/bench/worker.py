"""One measurement in a process of its own: a JSON request on standard input, a JSON answer on standard output."""

from __future__ import annotations

import json
import sys

from pointree.bench.measure import MEASUREMENTS, Setting
from pointree.config import Config
from pointree.errors import PointreeError
from pointree.process import prepare_process

__all__ = ["main"]


def main() -> None:
    """Answer the request, or leave with code 2 and one line that says why not."""
    request = json.load(sys.stdin)
    setting = Setting(
        config=Config.from_dict(request["config"]),
        precision=request["precision"],
        device=request["device"],
        quick=request["quick"],
    )
    try:
        prepare_process()
        setting.dtype  # noqa: B018 - precision must be settled before the first product
        answer = MEASUREMENTS[request["measurement"]](setting)
    except PointreeError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
