"""Create the course's virtual environment: `python3 tools/make_venv.py .venv`.

Needs only Python. Without an NVIDIA GPU it asks for torch's CPU build, about ten times smaller than
the default on Linux; PyPI has none for Linux on x86-64, so that takes PyTorch's own index. It
prints what was installed. Exit codes: 0 done, 1 installation failed, 2 unsupported Python.
"""

import os
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TORCH = "torch==2.13.0"
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
EXTRAS = "student,instructor,cluster,ctranslate2,site,dev"
OLDEST, NEWEST = (3, 10), (3, 13)


def main(target: str) -> int:
    """Create the environment, install into it and mark it as ready; returns the exit code."""
    python = suitable_python()
    if python is None:
        given = ".".join(map(str, sys.version_info[:3]))
        print(
            f"This is Python {given}; the course runs on 3.10 to 3.13. "
            "Install one of them, or say which: make PYTHON=/path/to/python3.11"
        )
        return 2
    venv = Path(target)
    pip = [str(venv / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
    install = [*pip, "install", "--quiet", "--constraint", str(ROOT / "constraints.txt")]
    source = torch_source()
    steps = [
        ("a virtual environment", [python, "-m", "venv", "--clear", str(venv)], "0.1"),
        (f"{TORCH} ({torch_build(source)})", [*install, *source, TORCH], "1-3"),
        ("the course and its tools", [*install, "-e", f"{ROOT}[{EXTRAS}]"], "1-2"),
    ]
    print(f"Installing into {target} (once; 3 to 4 minutes on a usual connection):")
    for number, (what, command, minutes) in enumerate(steps, start=1):
        if not run(f"{number}/{len(steps)} {what}, about {minutes} min", command):
            return 1
    print(f"  {installed(pip[0])}")
    (venv / "ready").touch()
    return 0


def suitable_python() -> "str | None":
    """This interpreter if its version is supported, else another installed one."""
    if OLDEST <= sys.version_info[:2] <= NEWEST:
        return sys.executable
    names = (f"python3.{minor}" for minor in range(NEWEST[1], OLDEST[1] - 1, -1))
    return next(filter(None, map(shutil.which, names)), None)


def has_gpu() -> bool:
    return shutil.which("nvidia-smi") is not None


def torch_build(source: "list[str]") -> str:
    """The build of torch to install; `installed` says what came."""
    if has_gpu():
        return "with CUDA"
    if source or sys.platform == "darwin":
        return "CPU build"
    return "default build, up to 6 GB: PyTorch's index of CPU builds cannot be reached"


def installed(python: str) -> str:
    """One sentence on the torch that is there now."""
    program = (
        "import torch; cuda = torch.version.cuda; "
        "print(f'torch {torch.__version__}', f'with CUDA {cuda}' if cuda else 'without CUDA')"
    )
    done = subprocess.run([python, "-c", program], capture_output=True, text=True)
    return done.stdout.strip() or f"torch cannot be imported: {done.stderr.strip()[-300:]}"


def torch_source() -> "list[str]":
    """pip's options for a CPU build: PyTorch's own index if reachable, else the default one."""
    if has_gpu() or sys.platform == "darwin":
        return []
    try:
        urllib.request.urlopen(f"{CPU_INDEX}/torch/", timeout=5).close()
    except OSError:
        return []
    return ["--extra-index-url", CPU_INDEX]  # its "+cpu" version ranks above the plain one


def run(title: str, command: "list[str]") -> bool:
    """Run one step, showing the elapsed time; on failure, print its last lines and what to do."""
    started = time.monotonic()
    log = subprocess.PIPE
    process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, text=True)
    output = ""
    while True:
        try:
            output, _ = process.communicate(timeout=5)
            break
        except subprocess.TimeoutExpired:
            if os.isatty(1):
                print(f"\r  {title} … {time.monotonic() - started:.0f} s", end="", flush=True)
    took = time.monotonic() - started
    mark = "done" if process.returncode == 0 else "FAILED"
    print(f"\r  {title} … {mark} in {took:.0f} s", flush=True)
    if process.returncode:
        print("\n".join(output.splitlines()[-8:]))
        print(advice(output))
    return process.returncode == 0


def advice(output: str) -> str:
    """One sentence on what to do about a failed step."""
    if "No space left" in output:
        return "The disk is full: free 3 GB and run the command again."
    if "ensurepip" in output:
        return "Python's venv module is incomplete: install python3-venv and try again."
    if "connection" in output.lower() or "Temporary failure" in output:
        return "The package index cannot be reached: check the connection and try again."
    return "Nothing was installed: fix the problem above and run the command again."


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ".venv"))
