"""The generated end of a translation unit: the one exported function that calls the entry."""

from kernelwright_backends.host.entry_stub import STUB_PATH
from kernelwright_backends.interfaces.build import ArgumentSlot, EntryCall

_EXPORTED = 'extern "C" __attribute__((visibility("default"), externally_visible))'


def passed(index: int, slot: ArgumentSlot) -> str:
    """What stands for an argument that is no tensor; braces make an optional without value, or a null pointer."""
    return "{}" if slot.kind == "nothing" else f"::kw::Argument(kw_given->arguments[{index}])"


def entry_stub(call: EntryCall) -> str:
    """C++ that calls `call.entry` with the values of a `kw_call`."""
    if call.others:
        return _stub_of_several((call, *call.others))
    if call.form == "tensor":
        return (
            f'\n#include <kernelwright/tensor.h>\n#line 1 "{STUB_PATH}"\n'
            f"{_EXPORTED} void kernelwright_entry(const kw_call* kw_given) {{\n  {_tensor_call(call)}\n  (void)kw_given;\n}}\n"
        )
    return (
        f'\n#line 1 "{STUB_PATH}"\n'
        f"{_EXPORTED} void kernelwright_entry(const kw_call* kw_given) {{\n"
        f"  {_plain_call(call)}\n  (void)kw_given;\n}}\n"
    )


def _stub_of_several(calls: tuple[EntryCall, ...]) -> str:
    """The first argument says which of them is called; all others are its own."""
    functions, cases = [], []
    for number, call in enumerate(calls):
        body = _tensor_call(call) if call.form == "tensor" else _plain_call(call)
        functions.append(
            f"static void kw_entry_{number}(const kw_call* kw_given) {{\n  {body}\n  (void)kw_given;\n}}\n"
        )
        cases.append(f"    case {number}: kw_entry_{number}(&kw_own); break;\n")
    tensors = "#include <kernelwright/tensor.h>\n" if any(c.form == "tensor" for c in calls) else ""
    return (
        f'\n{tensors}#line 1 "{STUB_PATH}"\n{"".join(functions)}'
        f"{_EXPORTED} void kernelwright_entry(const kw_call* kw_given) {{\n"
        "  kw_call kw_own = *kw_given;\n  ++kw_own.arguments;\n"
        f"  switch (kw_given->arguments[0].integer) {{\n{''.join(cases)}  }}\n}}\n"
    )


def _plain_call(call: EntryCall) -> str:
    arguments = ",\n".join(f"    {passed(index, slot)}" for index, slot in enumerate(call.slots))
    if call.form == "kernel":
        name = call.entry.replace('"', "'")
        head = (
            "kw_launch_config kw_config = kw_given->launch; "
            f'kw_config.kernel = "{name}"; ::kw::launch(kw_config, {call.entry})('
        )
    else:
        head = f"{call.entry}("
    return f"{head}\n{arguments});"


def _tensor_call(call: EntryCall) -> str:
    tensors = [index for index, slot in enumerate(call.slots) if slot.kind == "tensor"]
    made = " ".join(
        f"at::Tensor kw_tensor_{index} = ::kw_wrap(*static_cast<const kw_tensor*>(kw_given->arguments[{index}].tensor));"
        for index in tensors
    )
    arguments = ",\n".join(
        f"    kw_tensor_{index}" if index in tensors else f"    {passed(index, slot)}"
        for index, slot in enumerate(call.slots)
    )
    invocation = f"{call.entry}(\n{arguments})"
    body = (
        f"int kw_number = 0; ::kw_for_each_result({invocation}, [&](const at::Tensor& kw_result) {{ kw_tensor kw_view; "
        "::kw_unwrap(kw_result, &kw_view); kw_given->returned(kw_number++, &kw_view); });"
        if call.returns
        else f"{invocation};"
    )
    return f"{made} {body}"


def program_stub() -> str:
    """C++ that runs the file's own `main`, renamed, with the arguments that the driver hands over."""
    return (
        f'\n#include <kernelwright/program.h>\n#line 1 "{STUB_PATH}"\n'
        f"{_EXPORTED} int kernelwright_main(int kw_count, char** kw_given) {{\n"
        "  return ::kw::run_main(kernelwright_user_main, kw_count, kw_given);\n}\n"
    )
