"""The cards of the Ascend C interface: complete, consistent, and readable by the grammar that reads kernels."""

import re

import pytest

from kernelwright_backends.ascendc.api import all_cards, arguments_of, find_cards
from kernelwright_backends.ascendc.syntax import AscendcIndexer
from kernelwright_backends.core.catalogue import CATALOGUE
from kernelwright_backends.interfaces.editor_support import ApiCard, prose
from kernelwright_memory.bank.seeding import read_seeds

# What kernels use most, in order; a dot before members.
RANKED = """
.SetGlobalBuffer .InitBuffer GetBlockIdx .FreeTensor DataCopy .AllocTensor GET_TILING_DATA .EnQue .DeQue GetBlockNum .GetValue .Get Add
Muls Mul Duplicate .SetValue TILING_KEY_IS PipeBarrier Cast DataCopyPad Adds SetFlag WaitFlag Sub GET_TILING_DATA_WITH_STRUCT
GetTPipePtr .FetchEventID Div REGISTER_TILING_DEFAULT Exp KERNEL_TASK_TYPE_DEFAULT ASSERT GetUserWorkspace .SetTensorB .SetTensorA
ReduceSum GetSysWorkSpacePtr REGIST_MATMUL_OBJ Mins Min Maxs .ReinterpretCast SyncAll .GetPhyAddr .End Max .IterateAll Abs printf
SetAtomicNone Sqrt Select SetAtomicAdd CrossCoreSetFlag GetSubBlockIdx CrossCoreWaitFlag Tanh ASCEND_IS_AIV .SetOrgShape Ceil Relu
.SetBias ReduceMax CompareScalar .GetSize GetSubBlockNum GatherMask .SetLocalWorkspace ASCEND_IS_AIC Copy SetVectorMask Sigmoid Axpy
Compare .SetTail .AllocEventID .GetWithOffset Brcb pipe_barrier Mmad Gather .Destroy .SetSingleShape Ln Log Fixpipe LoadData
ArithProgression .SetWorkspace Gelu WholeReduceSum .SetSize set_flag wait_flag And SetMaskNorm BroadCast .Reset .ReleaseEventID
InitSocState GetNormalConfig WholeReduceMax Reciprocal DataCacheCleanAndInvalid InitOutput BlockReduceSum .IterateBatch GetMDLConfig
SetDeqScale ResetMask GetAccVal Floor SetSysWorkspace CreateVecIndex InitGlobalMemory ReduceMin Sort .SetSubBlockIdx TransDataTo5HD
Extract SoftMax .SetL2CacheHint SetMaskCount Sum MrgSort ShiftRight LeakyRelu .Iterate .GetTensorC BlockReduceMax GetTaskRation
LoadDataWithTranspose Or PopStackBuffer ASCENDC_ASSERT GetHcclContext Rsqrt InitConstValue Sin Cos Concat MulAddDst Power
SoftmaxFlashV2 KERNEL_TASK_TYPE Sort32 .WaitIterateAll CumSum ShiftLeft PairReduceSum Not ClampMin WaitEvent GET_TILING_DATA_MEMBER
SoftMaxFlashV2TilingFunc Swish .GetDataPtr ClampMax SetAtomicMax .SetQuantVector .SetShapeInfo GetSystemCycle Broadcast GetSortLen Sign
.IterateNBatch .SetUserDefInfo Fill Compares
""".split()


@pytest.mark.parametrize("name", RANKED)
def test_every_ranked_name_has_a_card(name: str) -> None:
    cards = find_cards(name.lstrip("."))
    assert cards
    assert any(bool(card.owners) == name.startswith(".") for card in cards)


@pytest.mark.parametrize("card", all_cards(), ids=lambda card: card.title)
def test_a_card_says_all_that_it_must(card: ApiCard) -> None:
    assert card.summary.endswith(".") and card.signatures and card.example.strip()
    assert card.kind == "member" or not card.owners
    assert all(rule.endswith(".") for rule in card.rules)
    if card.kind in ("function", "member"):
        assert all(card.name in text for text in card.signatures)
        assert all(text.endswith(";") for text in card.signatures)
    assert set(card.findings) <= set(CATALOGUE)
    text = card.markdown()
    assert "![" not in text and "](" not in text and "<img" not in text and "://" not in text
    for signature in card.signatures:
        for start, end in arguments_of(signature):
            assert signature[start:end].strip() == signature[start:end]


@pytest.mark.parametrize("card", all_cards(), ids=lambda card: card.title)
def test_an_example_is_read_without_errors(card: ApiCard) -> None:
    # These two macros bring their own parentheses, which no grammar can know.
    body = card.example.replace("if ASCEND_IS_AIC", "if (core)").replace("if ASCEND_IS_AIV", "if (core)")
    if card.name == "REGISTER_TILING_DEFAULT":
        text = card.example + "\nvoid f() {}\n"
    else:
        text = "__aicore__ inline void example() {\n" + body + "\n}\n"
    assert AscendcIndexer(text.encode()).index.syntax_errors == ()


@pytest.mark.parametrize("card", all_cards(), ids=lambda card: card.title)
def test_the_prose_of_a_card_is_shown_as_it_is_written(card: ApiCard) -> None:
    """No reader of Markdown takes a part of a name for emphasis or HTML, and none is asked to unescape it."""
    shown = re.sub(r"```.*?```|`[^`]*`", "", card.markdown(), flags=re.DOTALL)
    assert not re.search(r"[_\\]|\*\S|\w<|&#", shown), shown


def test_names_in_prose_stand_in_code_spans() -> None:
    text = "Copies int32_t by PipeBarrier<PIPE_ALL>() where `a_b` and a < b hold; see Matmul<A, B>."
    assert (
        prose(text)
        == "Copies `int32_t` by `PipeBarrier<PIPE_ALL>()` where `a_b` and a < b hold; see `Matmul<A, B>`."
    )


def test_every_parameter_is_explained() -> None:
    lacking = []
    for card in all_cards():
        for signature in card.signatures if card.kind in ("function", "member") else ():
            for start, end in arguments_of(signature):
                words = signature[start:end].split("=")[0].replace("(&", " ").replace(")", " ")
                name = (
                    words.replace("[16]", "").replace("[]", "").replace("[dims]", "").split()[-1].strip("&*")
                )
                if name != "..." and name != "values" and card.meaning_of(name) is None:
                    lacking.append(f"{card.title}: {name}")
    assert lacking == []


def test_titles_are_unique_and_the_memory_holds_every_card() -> None:
    titles = [card.title for card in all_cards()]
    assert len(set(titles)) == len(titles)
    seeds = {seed.title: seed for seed in read_seeds() if seed.dialect == "ascendc" and seed.kind == "api"}
    for card in all_cards():
        assert seeds[f"{card.title}: {card.summary.rstrip('.')}"].text == card.markdown()


def test_arguments_are_found_behind_templates() -> None:
    text = "template<class T, int n = f(1, 2)> void F(const A<T, n>& a, T (&b)[16], int c = g(1, 2));"
    assert [text[start:end] for start, end in arguments_of(text)] == [
        "const A<T, n>& a",
        "T (&b)[16]",
        "int c = g(1, 2)",
    ]
