//! Modules that mean harm, kept as text in `hostile/`.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "these tests start a program and read files"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use landfall_sandbox::{Limits, LoadError, Module, Plugin, Stopped, watch_wall_time};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

const LIMITS: Limits = Limits {
    memory: 64 << 20,
    wall_time: Duration::from_millis(200),
};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile")
}

fn text(name: &str) -> String {
    fs::read_to_string(folder().join(name)).unwrap()
}

/// A fixture that is a whole component.
fn load(name: &str) -> Result<Module, LoadError> {
    Module::compile(&wat::parse_str(text(name)).unwrap())
}

/// A fixture that is a core module's memory and `$discover`, made into a component
/// of our world.
fn module(name: &str) -> Module {
    let mut core =
        wat::parse_str(format!("(module {} {})", text(name), text("world.wat"))).unwrap();
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_path(folder().join("../../../wit")).unwrap();
    let world = resolve.select_world(&[package], Some("plugin")).unwrap();
    embed_component_metadata(&mut core, &resolve, world, StringEncoding::UTF8, false).unwrap();
    let component = ComponentEncoder::default()
        .validate(true)
        .module(&core)
        .unwrap()
        .encode()
        .unwrap();
    Module::compile(&component).unwrap()
}

fn start(name: &str) -> Result<Plugin, Stopped> {
    module(name).start(&LIMITS)
}

fn discover(name: &str) -> Result<bool, Stopped> {
    start(name).unwrap().discover(&[])
}

/// The message of a trap.
fn trap<T: std::fmt::Debug>(outcome: Result<T, Stopped>) -> String {
    match outcome {
        Err(Stopped::Trap { message }) => message,
        other => panic!("a trap was expected: {other:?}"),
    }
}

#[test]
fn memory_is_refused_at_the_limit() {
    assert_eq!(
        discover("memory-bomb.wat"),
        Err(Stopped::Memory {
            limit: LIMITS.memory
        })
    );
}

#[test]
fn memory_is_refused_before_anything_runs() {
    assert_eq!(
        start("large-from-the-start.wat").err(),
        Some(Stopped::Memory {
            limit: LIMITS.memory
        })
    );
}

#[test]
fn all_memories_count_together() {
    assert_eq!(
        start("two-memories.wat").err(),
        Some(Stopped::Memory {
            limit: LIMITS.memory
        })
    );
}

#[test]
fn tables_count_as_memory() {
    assert_eq!(
        discover("table-bomb.wat"),
        Err(Stopped::Memory {
            limit: LIMITS.memory
        })
    );
}

#[test]
fn a_maximum_of_the_module_itself_stops_nothing() {
    assert_eq!(discover("own-maximum.wat"), Ok(true));
}

#[test]
fn giving_up_at_a_maximum_of_the_module_itself_names_it() {
    assert_eq!(
        discover("beyond-own-maximum.wat"),
        Err(Stopped::ModuleMaximum { limit: 128 << 10 })
    );
}

#[test]
fn giving_up_where_addresses_end_names_the_smaller_limit() {
    assert_eq!(
        discover("beyond-addresses.wat"),
        Err(Stopped::Memory {
            limit: LIMITS.memory
        })
    );
    let limits = Limits {
        memory: 8 << 30,
        ..LIMITS
    };
    let mut plugin = module("beyond-addresses.wat").start(&limits).unwrap();
    assert_eq!(
        plugin.discover(&[]),
        Err(Stopped::ModuleMaximum { limit: 4 << 30 })
    );
}

#[test]
fn recursion_without_end_names_the_call_stack() {
    assert_eq!(discover("endless-recursion.wat"), Err(Stopped::CallStack));
}

#[test]
fn memory_beyond_the_end_is_a_trap_on_one_line() {
    let message = trap(discover("out-of-bounds.wat"));
    assert!(message.contains("out of bounds memory access"), "{message}");
    assert!(!message.contains('\n'), "{message}");
}

#[test]
fn a_stopped_plugin_stays_stopped_and_others_are_not_touched() {
    let module = module("memory-bomb.wat");
    let mut plugin = module.start(&LIMITS).unwrap();
    assert_eq!(
        plugin.discover(&[]),
        Err(Stopped::Memory {
            limit: LIMITS.memory
        })
    );
    trap(plugin.discover(&[]));
    let mut other = module.start(&LIMITS).unwrap();
    assert_eq!(
        other.discover(&[]),
        Err(Stopped::Memory {
            limit: LIMITS.memory
        })
    );
}

#[test]
fn an_import_is_refused_by_its_name() {
    assert_eq!(
        load("import.wat").err(),
        Some(LoadError::Import {
            name: "clock".into()
        })
    );
}

#[test]
fn another_world_is_refused() {
    let Err(LoadError::World { message }) = load("empty.wat") else {
        panic!("it was taken")
    };
    assert!(message.contains("landfall:config-management"), "{message}");
}

#[test]
fn what_is_no_component_is_refused() {
    assert!(matches!(
        Module::compile(b"kind: List"),
        Err(LoadError::Unreadable { .. })
    ));
    // SAFETY: these bytes hold no code.
    let loaded = unsafe { Module::precompiled(b"kind: List") };
    assert!(matches!(loaded, Err(LoadError::Unreadable { .. })));
}

/// The variable that turns this test into the process that is to be ended.
const CHILD: &str = "LANDFALL_SANDBOX_ENDLESS_LOOP";

#[test]
fn an_endless_loop_is_ended_at_the_wall_time_limit() {
    if std::env::var_os(CHILD).is_some() {
        let limit = LIMITS.wall_time;
        let mut plugin = start("endless-loop.wat").unwrap();
        watch_wall_time(limit, move || {
            eprintln!("{}", Stopped::WallTime { limit });
            std::process::exit(3);
        });
        let _ = plugin.discover(&[]);
        unreachable!("the loop came to an end");
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "an_endless_loop_is_ended_at_the_wall_time_limit",
            "--nocapture",
        ])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(
        stderr.contains("the module ran for longer than 200ms"),
        "{stderr}"
    );
}
