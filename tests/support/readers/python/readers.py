"""Reads YAML with PyYAML, its own parser and libyaml, and with the types of
ruamel.yaml, as YAML 1.1 and as 1.2, and says where they read something else than
expected. The protocol is that of ../go/main.go."""

import json
import sys

import yaml
from ruamel.yaml.resolver import implicit_resolvers


def reader(loader):
    return lambda text: yaml.load(text, Loader=loader)


READERS = [("PyYAML", reader(yaml.SafeLoader))]
fastest = yaml.SafeLoader
if yaml.__with_libyaml__:
    READERS.append(("libyaml", reader(yaml.CSafeLoader)))
    fastest = yaml.CSafeLoader


def ruamel(version):
    """ruamel.yaml splits a text as PyYAML does, of which it is a fork, and takes
    minutes for what libyaml does in seconds; which plain scalar has which type is its
    own, and is what is asked here."""
    resolvers = {}
    for versions, tag, pattern, first in implicit_resolvers:
        if version in versions:
            for character in first:
                resolvers.setdefault(character, []).append((tag, pattern))
    return reader(type("Loader", (fastest,), {"yaml_implicit_resolvers": resolvers}))


READERS.append(("ruamel.yaml as YAML 1.1", ruamel((1, 1))))
READERS.append(("ruamel.yaml as YAML 1.2", ruamel((1, 2))))


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


def read(reader, text):
    try:
        return reader(text)
    except Exception as error:  # constructors raise ValueError and worse
        return error


def differences(reader, parts, expect, whole):
    value = read(reader, "".join(parts))
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
        value = read(reader, part)
        if not (type(value) is list and len(value) == 1 and equal(value[0], expect[n])):
            yield n, repr(value)


def plain(value):
    if type(value) is dict:
        return {key(k): plain(v) for k, v in value.items()}
    if type(value) in (list, tuple, set):
        return [plain(item) for item in value]
    if type(value) is bytes:
        return value.decode("utf-8", "replace")
    if value is None or type(value) in (str, bool, int, float):
        return value
    return str(value)


def key(value):
    value = plain(value)
    return value if type(value) is str else json.dumps(value)


def documents(loader, text):
    try:
        return [plain(document) for document in yaml.load_all(text, Loader=loader)]
    except Exception:
        return None


def main():
    count = 0
    sys.stdin.reconfigure(encoding="utf-8")
    for line, record in enumerate(map(json.loads, sys.stdin)):
        if "stream" in record:
            for reader, loader in READERS:
                read = documents(loader, record["stream"])
                print(json.dumps({"line": line, "reader": reader, "documents": read}))
            continue
        count += len(record["parts"])
        for name, reader in READERS:
            for part, got in differences(
                reader, record["parts"], record["expect"], record["whole"]
            ):
                print(json.dumps({"line": line, "part": part, "reader": name, "got": got}))
    print(json.dumps({"read": count}))


main()
