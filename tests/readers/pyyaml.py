"""Reads YAML with PyYAML, its own parser and libyaml, and says where they read
something else than expected. The protocol is that of go/main.go."""

import json
import sys

import yaml

READERS = [("PyYAML", yaml.SafeLoader)]
if yaml.__with_libyaml__:
    READERS.append(("libyaml", yaml.CSafeLoader))


def equal(value, tree):
    ((kind, expected),) = tree.items()
    if kind == "null":
        return value is None
    if kind == "text":
        return type(value) is str and value == expected
    if kind == "bool":
        return type(value) is bool and value == expected
    if kind == "int":
        return type(value) is int and str(value) == expected
    if kind == "float":
        return type(value) is float and value == expected
    if kind == "list":
        return (
            type(value) is list
            and len(value) == len(expected)
            and all(equal(item, tree) for item, tree in zip(value, expected))
        )
    if kind == "map":
        return (
            type(value) is dict
            and len(value) == len(expected)
            and all(
                any(equal(key, k) and equal(item, v) for key, item in value.items())
                for k, v in expected
            )
        )
    return False


def read(loader, text):
    try:
        return yaml.load(text, Loader=loader)
    except Exception as error:  # constructors raise ValueError and worse
        return error


def differences(loader, parts, expect, whole):
    value = read(loader, "".join(parts))
    if whole:
        if not equal(value, expect[0]):
            yield 0, repr(value)
        return
    if (
        type(value) is list
        and len(value) == len(expect)
        and all(equal(item, tree) for item, tree in zip(value, expect))
    ):
        return
    for n, part in enumerate(parts):
        value = read(loader, part)
        if not (type(value) is list and len(value) == 1 and equal(value[0], expect[n])):
            yield n, repr(value)


def main():
    count = 0
    sys.stdin.reconfigure(encoding="utf-8")
    for line, record in enumerate(map(json.loads, sys.stdin)):
        count += len(record["parts"])
        for reader, loader in READERS:
            for part, got in differences(
                loader, record["parts"], record["expect"], record["whole"]
            ):
                print(json.dumps({"line": line, "part": part, "reader": reader, "got": got}))
    print(json.dumps({"read": count}))


main()
