"""Imports the libraries that an assignment's notebooks use, and runs each library once.

Every worker shares what is imported and initialized here. A later import would cost each worker
time, or fail because a worker can open few files.
"""

import importlib
import importlib.metadata
import importlib.util
import os
import sys
import threading

# Set to one thread before any numeric library is imported: a thread pool does not survive a fork,
# and lowering the number afterwards is not enough.
ONE_THREAD = ("OMP", "MKL", "OPENBLAS", "NUMEXPR", "VECLIB_MAXIMUM")

NVIDIA_DRIVER = "/dev/nvidiactl"  # its library starts a thread whenever it is asked something

# Small modules that libraries or honest notebooks import late.
STANDARD = """
    abc ast bisect collections.abc contextlib copy csv dataclasses datetime decimal dis enum
    fractions functools gc glob hashlib heapq inspect io itertools json linecache locale logging
    math multiprocessing.pool numbers operator pathlib pickle pprint queue random re secrets shutil
    socket statistics string struct subprocess tempfile textwrap threading time timeit tokenize
    traceback typing types unittest.mock uuid warnings weakref zipfile concurrent.futures
    concurrent.futures.thread concurrent.futures.process encodings.idna
""".split()


def import_all(names: list[str]) -> None:
    """Import `names` and the small modules, and initialize the large libraries.

    Raises ImportError naming the module, or RuntimeError if a library has started a thread.
    """
    for name in [*STANDARD, *names]:
        importlib.import_module(name)
    for name, initialize in _INITIALIZERS.items():
        if name in sys.modules:
            initialize()
    importlib.metadata.distributions(name="numpy")
    importlib.util.find_spec("no_such_module")  # fills the directory caches that later imports use
    if (count := _threads()) != 1:
        raise RuntimeError(f"{count} threads run after the imports; a fork needs exactly one")


def _numpy() -> None:
    import numpy as np

    np.random.seed(0)
    generator = np.random.default_rng(0)
    np.einsum("ij,jk->ik", generator.normal(size=(2, 3)), np.ones((3, 2)))
    np.linalg.norm(np.ones((2, 2)) @ np.ones((2, 2)))
    np.array2string(np.ones((2, 2)))
    importlib.import_module("grader.seam.executor")


def _torch() -> None:
    """Without a backward pass or an optimizer's step.

    They ask for the number of GPUs, for which CUDA's driver starts a thread even if it shows none.
    """
    import torch
    from torch.nn import functional
    from torch.overrides import BaseTorchFunctionMode

    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    torch.manual_seed(0)
    layer = torch.nn.MultiheadAttention(4, 2, batch_first=True)
    x = torch.randn(1, 3, 4, generator=torch.Generator().manual_seed(0))
    with BaseTorchFunctionMode():
        torch.einsum("bij,bij->b", x, x)
    output, _ = layer(x, x, x)
    functional.layer_norm(functional.dropout(torch.softmax(output, -1)), (4,)).sum()
    functional.scaled_dot_product_attention(x, x, x)
    torch.optim.Adam(layer.parameters())
    repr(torch.from_numpy(x.numpy()).to(torch.bfloat16))
    if not os.path.exists(NVIDIA_DRIVER):
        _ = torch.zeros(1, device="meta") == 0  # imports 800 modules, as some hidden tests do
    importlib.import_module("grader.seam.modules")


def _matplotlib() -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots()
    axes.set_title("a")
    figure.colorbar(axes.imshow([[0.0, 1.0]], cmap="viridis"))
    figure.canvas.draw()
    pyplot.close(figure)
    importlib.import_module("grader.seam.axes")


def _sacrebleu() -> None:
    """Its tokenizer is imported, and its expressions compiled, by the first score."""
    from sacrebleu.metrics import BLEU, CHRF

    for metric in (BLEU(tokenize="13a"), CHRF()):
        metric.corpus_score(["a b c d"], [["a b c d"]])


_INITIALIZERS = {
    "numpy": _numpy,
    "torch": _torch,
    "matplotlib": _matplotlib,
    "sacrebleu": _sacrebleu,
}


def _threads() -> int:
    if sys.platform == "linux":
        return len(os.listdir("/proc/self/task"))
    return threading.active_count()
