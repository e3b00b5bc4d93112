"""What nvcc takes and g++ does not, compiled again in a way that g++ takes."""

from collections.abc import Awaitable, Callable

from kernelwright_backends.interfaces.confinement import Completed

# What nvcc's front end does not mind.
_PERMITTED = (
    b"changes meaning of",
    b"needed for in-class initialization of static data member",
    b"in different namespace",
)
_WITHOUT_TYPENAME = b"is a dependent scope"
# What a build of PyTorch's defines for every extension: among its own types and CUDA's a call may be clear only then.
_PYTORCH_DEFINES = (
    "-D__CUDA_NO_HALF_OPERATORS__",
    "-D__CUDA_NO_HALF_CONVERSIONS__",
    "-D__CUDA_NO_HALF2_OPERATORS__",
    "-D__CUDA_NO_BFLOAT16_CONVERSIONS__",
)


async def with_retries(
    argv: list[str], compiled: Callable[[], Awaitable[Completed]], *, of_pytorch: bool
) -> Completed:
    """Compile; where it fails for a reason that is known, change `argv` and compile again, once for each reason.

    Args:
        argv: what `compiled` runs; holds afterwards what was compiled last and counts.
        of_pytorch: the text includes headers of PyTorch.
    """
    completed = await compiled()
    # It cannot, where a function comes back to itself.
    if completed.status and b"always_inline" in completed.stderr:
        argv.append("-DKW_INLINED=")
        completed = await compiled()
    if completed.status and _WITHOUT_TYPENAME in completed.stderr and "-std=c++17" in argv:
        # nvcc's front end has known for long what is a type there.
        argv[argv.index("-std=c++17")] = "-std=c++20"
        completed = await compiled()
    if completed.status and any(words in completed.stderr for words in _PERMITTED):
        argv.append("-fpermissive")
        completed = await compiled()
    if completed.status and b"is ambiguous" in completed.stderr and of_pytorch:
        argv += _PYTORCH_DEFINES
        without_conversions = await compiled()
        if without_conversions.status:
            del argv[-len(_PYTORCH_DEFINES) :]
        else:
            completed = without_conversions
    return completed
