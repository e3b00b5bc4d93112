"""How many launches a fusion takes: what is joined, and what goes by way of memory."""

import pytest

LINEAR = {"x": (6, 20), "w": (20, 36), "b": (36,)}
IMAGE = {"x": (3, 8, 6, 6), "w": (8,), "b": (8,)}
SOFTMAX = {"dim": 1, "half_to_float": False}
# inputs, operators, launches
TASKS = {
    "an epilogue joins its product": (
        LINEAR, [("addmm", ("b", "x", "w"), (6, 36), {"alpha": 1, "beta": 1}), ("gelu", ("%0",), (6, 36), {"approximate": "none"})], 1,
    ),
    "a softmax is one launch behind a product, whose epilogue is computed once": (
        LINEAR, [("addmm", ("b", "x", "w"), (6, 36), {"alpha": 1, "beta": 1}), ("gelu", ("%0",), (6, 36), {"approximate": "none"}),
                 ("_softmax", ("%1",), (6, 36), SOFTMAX), ("mul", ("%2",), (6, 36), {"other": 2.0})], 2,
    ),
    "what two readers need is stored": (
        LINEAR, [("addmm", ("b", "x", "w"), (6, 36), {"alpha": 1, "beta": 1}), ("tanh", ("%0",), (6, 36), {}),
                 ("_softmax", ("%1",), (6, 36), SOFTMAX), ("add", ("%2", "%0"), (6, 36), {"alpha": 1})], 3,
    ),
    "a group norm and what follows": (
        IMAGE, [("native_group_norm", ("x", "w", "b"), (3, 8, 6, 6), {"N": 3, "C": 8, "HxW": 36, "group": 4, "eps": 1e-5}),
                ("tanh", ("%0",), (3, 8, 6, 6), {}), ("add", ("%1", "x"), (3, 8, 6, 6), {"alpha": 1})], 1,
    ),
    "a batch norm of images has few rows: two statistics, one pass": (
        IMAGE, [("native_batch_norm", ("x", "w", "b"), (3, 8, 6, 6), {"training": True, "eps": 1e-5, "running_mean": None, "running_var": None})],
        3,
    ),
    "a batch norm of vectors walks its columns side by side": (
        {"x": (6, 36), "w": (36,), "b": (36,)},
        [("native_batch_norm", ("x", "w", "b"), (6, 36), {"training": True, "eps": 1e-5, "running_mean": None, "running_var": None}),
         ("relu", ("%0",), (6, 36), {})], 1,
    ),
    "a softmax of what was reduced": (
        {"x": (3, 8, 5, 6)}, [("amin", ("x",), (3, 8, 6), {"dim": [2], "keepdim": False}), ("_softmax", ("%0",), (3, 8, 6), SOFTMAX)], 2,
    ),
    "reducing one element is nothing": (
        {"x": (6, 20)}, [("amax", ("x",), (6, 1), {"dim": [1], "keepdim": True}), ("mean", ("%0",), (6, 1), {"dim": [1], "keepdim": True}),
                         ("logsumexp", ("%1",), (6, 1), {"dim": [1], "keepdim": True})], 1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TASKS)
def test_launches(describe, generate, name):
    inputs, operators, launches = TASKS[name]
    text = generate(describe(inputs, *operators)).text
    assert text.count("<<<") == launches, text
