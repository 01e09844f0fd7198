"""The visible checks of exercise 4.1: the causal mask and the target mask."""

import torch

from grader.checking.question import question

EARLIER, BOTH = "a row for each query, a column for each key", "combine both masks by broadcasting"
# torch's "meta" device is on every machine: tensors without values, which code may want to see
WHERE = """
def where(make, *given):
    try:
        return make(*given).device.type
    except RuntimeError as error:
        return "on two devices" if "device" in str(error) else "meta"
"""


@question("4.1", weight=2, advice=EARLIER, read="§3.2.3")
def test_three_positions(its):
    """Position i sees itself and all earlier positions, for any length."""
    masks = {f"causal_mask({n})": its.causal_mask(n) for n in (3, 1, 4)}
    return masks | {"dtypes": [str(mask.dtype) for mask in masks.values()]}


@question(
    "4.1",
    weight=2,
    needs_one_of=["test_three_positions", "test_two_sentences"],
    read="exercise 4.1",
    corner=True,
)
def test_device(its):
    """Both masks are made where they are needed: on `device`, and on the tokens' device."""
    where = its.make("(exec(code, scope := {}), scope['where'])[1]", code=WHERE)
    of_tokens = its.make("lambda make, ids: make(ids.to('meta'))")
    return {
        "causal_mask(3, 'meta')": where(its.causal_mask, 3, "meta"),
        "target_mask of tokens on 'meta'": where(
            of_tokens, its.target_mask, torch.ones(2, 3).long()
        ),
    }


@question("4.1", weight=2, builds_on=["causal_mask"], advice=BOTH, read="§3.2.3")
def test_two_sentences(its):
    """Real tokens that are not later, for an unpadded and a padded sentence, whatever pads it."""
    mask = its.target_mask(torch.tensor([[2, 7, 5], [2, 4, 0]]))
    other = its.target_mask(torch.tensor([[6, 0, 9], [9, 6, 0]]), pad_id=9)
    return {"the mask": mask, "dtype": str(mask.dtype), "with pad_id=9": other}
