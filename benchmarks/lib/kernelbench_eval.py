"""KernelBench's own judgement of one solution: `eval_kernel_against_ref` of a checkout, in this process.

    python benchmarks/lib/kernelbench_eval.py build|judge KERNELBENCH/src TASK.py SOLUTION.py BUILD_FOLDER [TRIALS]

prints one line of JSON: what it says under PyTorch's default flags and, where that is a refusal, what it says if PyTorch's own
convolutions are computed in float32 and not in TF32. `build` compiles the extension and needs no free GPU. Packages that its modules import for other purposes
(asking models, reading datasets) are empty here.
"""

import json
import sys
import types
from pathlib import Path
from typing import Any

_UNUSED = ("requests", "dotenv", "tqdm", "openai", "litellm", "datasets", "pydra", "kernelbench.dataset")


class _Anything(types.ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_, **__: None


def evaluation(source: Path) -> Any:
    """KernelBench's module of that name."""
    sys.path.insert(0, str(source))
    for name in _UNUSED:
        try:
            __import__(name)
        except ImportError:
            sys.modules[name] = _Anything(name)
    import kernelbench

    kernelbench.dataset = sys.modules["kernelbench.dataset"]
    from kernelbench import eval as module

    return module


def main() -> None:
    what, source, task, candidate, folder, *rest = sys.argv[1:]
    theirs = evaluation(Path(source))
    solution = Path(candidate).read_text(encoding="utf-8")
    Path(folder).mkdir(parents=True, exist_ok=True)
    if what == "build":
        built, _, problem = theirs.build_compile_cache(solution, False, folder)
        print(json.dumps({"built": built, "problem": problem and str(problem)[-2000:]}))
        return
    import torch

    def judged() -> Any:
        return theirs.eval_kernel_against_ref(
            Path(task).read_text(encoding="utf-8"), solution, num_correct_trials=int(rest[0]) if rest else 5, build_dir=folder,
            device=torch.device("cuda:0"), check_for_excessive_speedup=False,
        )  # fmt: skip

    result = judged()
    if result is None:
        print(
            json.dumps(
                {"compiled": False, "correct": False, "said": "no result; a lock file or a failed build"}
            )
        )
        return
    said = {k: str(v)[:300] for k, v in result.metadata.items()}
    answer = {"compiled": result.compiled, "correct": result.correctness, "said": said}
    if result.compiled and not result.correctness and torch.backends.cudnn.allow_tf32:
        # Its bound of 1e-4 is below what PyTorch's own convolutions are off by with TF32, which is their default.
        torch.backends.cudnn.allow_tf32 = False
        again = judged()
        answer["correct_without_tf32"] = bool(again is not None and again.correctness)
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
