"""python run.py MODULE CASES ANSWERS: runs each case by wasmtime's own WASI."""

import json
import pathlib
import sys

from wasmtime import Engine, ExitTrap, Linker, Module, Store, WasiConfig

path, cases, answers = sys.argv[1:]
engine = Engine()
module = Module.from_file(engine, path)
linker = Linker(engine)
linker.define_wasi()


def run(case):
    pathlib.Path("stdin").write_bytes(case["stdin"].encode())
    config = WasiConfig()
    config.argv = ["landfall", *case["arguments"]]
    config.stdin_file, config.stdout_file, config.stderr_file = "stdin", "stdout", "stderr"
    store = Store(engine)
    store.set_wasi(config)
    code = 0
    try:
        linker.instantiate(store, module).exports(store)["_start"](store)
    except ExitTrap as trap:
        code = trap.code
    store.close()
    read = lambda name: pathlib.Path(name).read_bytes().decode()
    return {"code": code, "stdout": read("stdout"), "stderr": read("stderr")}


results = [run(case) for case in json.loads(pathlib.Path(cases).read_bytes())]
pathlib.Path(answers).write_text(json.dumps(results))
