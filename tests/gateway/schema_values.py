"""Values that a JSON Schema allows, and values that break one of its keywords."""

from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

Schema = dict[str, Any]

ODD_TEXT = st.characters(blacklist_categories=["Cs"], blacklist_characters="\0")
WRONG_TYPES: dict[str, list[Any]] = {
    "string": [7, True, None, [], {}],
    "integer": ["20", True, 20.5, None, [], {}],
    "number": ["20", True, None, [], {}],
    "boolean": ["true", 0, None],
    "array": ["x", None, {"0": "x"}],
    "object": ["x", None, []],
}


def allowed(schema: Schema) -> st.SearchStrategy[Any]:
    """Valid values, odd ones among them."""
    if "anyOf" in schema:
        return st.one_of([allowed(branch) for branch in schema["anyOf"]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema["type"]:
        case "string":
            return allowed_text(schema)
        case "integer":
            whole = st.integers(schema.get("minimum"), schema.get("maximum", 2**63 - 1))
            return whole | whole.filter(lambda number: abs(number) < 2**53).map(float)
        case "number":
            return st.floats(schema["exclusiveMinimum"], 1e12, exclude_min=True, allow_nan=False)
        case "array":
            return st.lists(allowed(schema["items"]), min_size=schema.get("minItems", 0), max_size=3)
        case "object":
            return allowed_object(schema)
    return {"boolean": st.booleans(), "null": st.none()}[schema["type"]]


def allowed_text(schema: Schema) -> st.SearchStrategy[str]:
    longest = schema.get("maxLength", 39)
    if schema.get("format") == "date-time":
        return st.datetimes().map(lambda time: f"{time.isoformat()}Z")
    if "pattern" in schema:
        matching = st.from_regex(schema["pattern"].replace("$", r"\Z"), fullmatch=True)
        return matching.filter(lambda text: len(text) <= longest)
    return st.text(ODD_TEXT, min_size=schema.get("minLength", 0), max_size=min(longest, 60))


def allowed_object(schema: Schema) -> st.SearchStrategy[dict[str, Any]]:
    fields = {name: allowed(field) for name, field in schema["properties"].items()}
    required = {name: fields.pop(name) for name in schema.get("required", [])}
    return st.fixed_dictionaries(required, optional=fields)


def example(schema: Schema, *, whole: bool = False) -> Any:
    """One plain valid value; `whole` fills in the optional fields too."""
    if "anyOf" in schema:
        return example(schema["anyOf"][0], whole=whole)
    if "enum" in schema:
        return schema["enum"][0]
    match schema["type"]:
        case "string":
            return example_text(schema)
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "array":
            return [example(schema["items"], whole=whole)]
        case "object":
            names = schema["properties"] if whole else schema.get("required", [])
            return {name: example(schema["properties"][name], whole=whole) for name in names}
    return True


def example_text(schema: Schema) -> str:
    if "format" in schema:
        return {"uuid": "4f7c2a9e-3b1d-4c8e-9a6f-0d2e5b7c1a3f", "date-time": "2026-11-30T12:00:00Z"}[schema["format"]]
    return "a/b" if r"\/" in schema.get("pattern", "") else "abc"


def broken(schema: Schema, path: str) -> Iterator[tuple[str, Any]]:
    """Values with one fault each, and the path of the field at fault."""
    if "anyOf" in schema:
        yield from ((at, value) for at, value in broken(schema["anyOf"][0], path) if value is not None)
        return
    yield from ((path, value) for value in WRONG_TYPES[schema["type"]])
    yield from ((path, value) for value in out_of_bounds(schema))
    if schema["type"] == "array":
        yield from ((at, [value]) for at, value in broken(schema["items"], f"{path}[0]"))
    if schema["type"] == "object":
        yield from broken_objects(schema, f"{path}.")


def broken_objects(schema: Schema, prefix: str) -> Iterator[tuple[str, Any]]:
    """Objects in which one field is missing or broken."""
    for name, field in schema["properties"].items():
        for at, value in broken(field, f"{prefix}{name}"):
            yield at, {**example(schema), name: value}
    for name in schema.get("required", []):
        yield f"{prefix}{name}", {key: value for key, value in example(schema).items() if key != name}


def out_of_bounds(schema: Schema) -> Iterator[Any]:
    """Values of the right type that break one limit."""
    faults = {
        "format": lambda _: "tomorrow",
        "minLength": lambda limit: "a" * (limit - 1),
        "maxLength": lambda limit: "a" * (limit + 1),
        "pattern": lambda _: "Not it!",
        "enum": lambda _: "none of them",
        "minimum": lambda limit: limit - 1,
        "exclusiveMinimum": lambda limit: limit,
        "maximum": lambda limit: limit + 1,
        "minItems": lambda limit: [example(schema["items"])] * (limit - 1),
        "maxItems": lambda limit: [example(schema["items"])] * (limit + 1),
    }
    yield from (fault(schema[keyword]) for keyword, fault in faults.items() if keyword in schema)
    if "pattern" in schema:
        yield f"{example(schema)}\n"
