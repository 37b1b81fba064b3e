"""When an answer is as the specification says, and when two answers are the same."""

import json


def unexpected(side, steps, seen):
    """What of a run is not as its steps say, one text each."""
    if len(seen) != len(steps):
        yield f"{side}, no login: {seen}"
        return
    for step, results in zip(steps, seen):
        for result in results:
            complaint = wrong(step, result)
            if complaint:
                yield f"{side}, {describe(step)}: {complaint}"


def wrong(step, result):
    """What a result is instead of what its step says, or None."""
    if result.get("unsupported"):
        return "the program calls it unsupported; drivers.yaml does not"
    return None if fits(step, result) else f"not as wanted: {result}"


def fits(step, result):
    error = result.get("error")
    if "refused" in step:
        return error is not None and step["refused"] in str(error.get("message"))
    if "errno" in step:
        return error is not None and error.get("errno") == step["errno"]
    if error:
        return step.get("fails", False)
    if "rows" in step:
        rows = [[None if v is None else str(v) for v in row] for row in step["rows"]]
        return result.get("rows") == rows
    return "affected" not in step or result.get("affected") == step["affected"]


def differences(steps, direct, through):
    """What was seen on one side and not on the other, one text each."""
    if len(direct) != len(through):
        yield f"directly {direct[-1]}, through mqgate {through[-1]}"
        return
    for step, one, two in zip(steps, direct, through):
        if one != two:
            one, two = excerpts(one, two)
            yield f"{describe(step)}: directly {one}, through mqgate {two}"


def describe(step):
    return step.get("sql", step.get("name"))[:160]


def excerpts(one, two):
    """Both as texts, from shortly before where they differ."""
    texts = [json.dumps(value, ensure_ascii=False) for value in (one, two)]
    differ = next((i for i, (a, b) in enumerate(zip(*texts)) if a != b), min(map(len, texts)))
    begin = differ - 100 if differ > 300 else 0
    return [("… " if begin else "") + text[begin : begin + 500] for text in texts]
