"""The warm process: a program that imports the heavy libraries once, then forks workers.

The judge starts it as `python -I main.py CONTROL`, where CONTROL is the descriptor of a control
socket, and writes one line of JSON to its standard input, which stays open while the judge lives.
It answers once on standard output: ready, or why not.
"""

import gc
import importlib.util
import json
import os
import socket
import sys
import sysconfig
import time
from pathlib import Path
from typing import Any


def main() -> None:
    started = time.perf_counter()
    configuration = json.loads(sys.stdin.buffer.readline())
    _forget_the_checkout(configuration["student_tree"], configuration["packages"])
    _adopt_siblings()
    try:
        jobs = _warm_up(configuration)
    except Exception as error:
        print(json.dumps({"failed": f"{type(error).__name__}: {error}"}), flush=True)
        sys.exit(1)
    from sandbox import tiers

    ready = {
        "tier": jobs.tier,
        "layers": list(tiers.LAYERS[jobs.tier]),
        "missing": configuration["missing"],
        "seconds": round(time.perf_counter() - started, 3),
    }
    print(json.dumps({"ready": ready}), flush=True)
    null = os.open("/dev/null", os.O_RDWR)
    os.dup2(null, 2)  # stdout stays open: supervisors inherit it, so its end means none is left
    os.close(null)
    jobs.accept(socket.socket(fileno=int(sys.argv[1])), lifeline=0)


def _forget_the_checkout(student_tree: str, packages: list[str]) -> None:
    """Remove every way to import the full library, keeping the interpreter and its packages.

    An editable install adds the checkout to `sys.path` or its own finder to `sys.meta_path`. A
    library among the packages comes after the student's.
    """
    standard = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
    dynamic = {os.path.join(path, "lib-dynload") for path in standard}
    archives = [path for path in sys.path if path.endswith(".zip")]
    kept = [*archives, *(path for path in sys.path if path in standard | dynamic)]
    sys.path[:] = [student_tree, *kept, *packages]
    own = {"BuiltinImporter", "FrozenImporter", "PathFinder"}
    sys.meta_path[:] = [f for f in sys.meta_path if getattr(f, "__name__", "") in own]
    sys.path_importer_cache.clear()


def _adopt_siblings() -> None:
    """Make the modules beside this file importable as the package `sandbox`."""
    folder = Path(__file__).resolve().parent
    spec = importlib.util.spec_from_file_location(
        "sandbox", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    sys.modules["sandbox"] = package = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)


def _warm_up(configuration: dict[str, Any]) -> Any:
    """Import the libraries, enter the view, and return the loop that waits for jobs."""
    from sandbox import prewarm

    os.environ.update({f"{library}_NUM_THREADS": "1" for library in prewarm.ONE_THREAD})
    os.environ.update(CUDA_VISIBLE_DEVICES="", MPLBACKEND="Agg")
    from sandbox import confine, detection, jobs, limits, readable_files, tiers

    tier = configuration["tier"]
    if tier is None:
        found = detection.detect()
        tier, configuration["missing"] = found.name, found.missing
    gc.disable()  # a quarter of the time of large imports goes into looking for garbage
    prewarm.import_all(configuration["imports"])
    open_to_workers = readable_files.for_python(
        configuration["student_tree"],
        configuration["packages"],
        configuration["answers"],
        configuration["own"],
    )
    grants = open_to_workers.grants() if tiers.LANDLOCK in tiers.LAYERS[tier] else []
    own_uids = confine.takes_own_uid(tier)
    confine.prepare(tier, open_to_workers)
    gc.freeze()
    gc.enable()
    return jobs.Jobs(tier, grants, limits.Limits(**configuration["limits"]), own_uids)


if __name__ == "__main__":
    main()
