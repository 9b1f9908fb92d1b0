//! Tests with hostile modules, the text files in `hostile/`.

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

use landfall_sandbox::types::{BuiltInCeiling, Ceiling, EditList, Need};
use landfall_sandbox::{
    BrokenEdits, Limits, LoadError, Module, OnTimeout, Plugin, Stopped, watch_wall_time,
};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

const LIMITS: Limits = Limits {
    memory: 64 << 20,
    wall_time: Duration::from_millis(200),
};

/// A module is stopped alike in both, except at the time limit.
const MODES: [OnTimeout; 2] = [OnTimeout::EndProcess, OnTimeout::ReturnError];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile")
}

fn text(name: &str) -> String {
    fs::read_to_string(folder().join(name)).unwrap()
}

/// Loads a fixture that is a component.
fn load(name: &str) -> Result<Module, LoadError> {
    let bytes = wat::parse_str(text(name)).unwrap();
    let [module, other] = MODES.map(|mode| Module::compile(&bytes, mode));
    assert_eq!(module.as_ref().err(), other.as_ref().err());
    module
}

/// Builds a component of the world from a fixture with the memory and `$needs` of a core
/// module.
fn module(name: &str, mode: OnTimeout) -> Module {
    component(&text(name), mode)
}

/// As [`module`], from the text of a fixture.
fn component(fixture: &str, mode: OnTimeout) -> Module {
    let mut core = wat::parse_str(format!("(module {fixture} {})", text("world.wat"))).unwrap();
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
    Module::compile(&component, mode).unwrap()
}

fn start(name: &str, mode: OnTimeout) -> Result<Plugin, Stopped> {
    module(name, mode).start(&LIMITS)
}

/// Returns why a fixture does not start, in both modes.
fn not_started(name: &str) -> Option<Stopped> {
    let [stopped, other] = MODES.map(|mode| start(name, mode).err());
    assert_eq!(stopped, other);
    stopped
}

/// Calls `$needs`, which returns the address of its result.
fn needs(plugin: &mut Plugin) -> Result<Vec<Need>, Stopped> {
    plugin.krm_needs(&[]).map(Result::unwrap)
}

/// Calls it in both modes.
fn needs_of(name: &str) -> Result<Vec<Need>, Stopped> {
    let [answer, other] = MODES.map(|mode| needs(&mut start(name, mode).unwrap()));
    assert_eq!(answer, other);
    answer
}

/// Returns the message of a trap.
fn trap<T: std::fmt::Debug>(outcome: Result<T, Stopped>) -> String {
    match outcome {
        Err(Stopped::Trap { message }) => message,
        other => panic!("a trap was expected: {other:?}"),
    }
}

#[test]
fn memory_growth_stops_at_the_limit() {
    assert_eq!(
        needs_of("memory-bomb.wat"),
        Err(Stopped::Memory {
            limit: LIMITS.memory
        })
    );
}

#[test]
fn initial_memory_above_the_limit_is_rejected() {
    assert_eq!(
        not_started("large-from-the-start.wat"),
        Some(Stopped::Memory {
            limit: LIMITS.memory
        })
    );
}

#[test]
fn the_limit_applies_to_the_total_of_all_memories() {
    assert_eq!(
        not_started("two-memories.wat"),
        Some(Stopped::Memory {
            limit: LIMITS.memory
        })
    );
}

#[test]
fn tables_count_as_memory() {
    assert_eq!(
        needs_of("table-bomb.wat"),
        Err(Stopped::Memory {
            limit: LIMITS.memory
        })
    );
}

#[test]
fn a_module_may_continue_at_its_own_maximum() {
    assert_eq!(needs_of("own-maximum.wat"), Ok(Vec::new()));
}

#[test]
fn a_trap_at_the_own_maximum_reports_the_maximum() {
    assert_eq!(
        needs_of("beyond-own-maximum.wat"),
        Err(Stopped::ModuleMaximum { limit: 128 << 10 })
    );
}

#[test]
fn a_trap_at_the_end_of_the_address_space_reports_the_smaller_limit() {
    assert_eq!(
        needs_of("beyond-addresses.wat"),
        Err(Stopped::Memory {
            limit: LIMITS.memory
        })
    );
    let limits = Limits {
        memory: 8 << 30,
        ..LIMITS
    };
    for mode in MODES {
        let mut plugin = module("beyond-addresses.wat", mode).start(&limits).unwrap();
        assert_eq!(
            needs(&mut plugin),
            Err(Stopped::ModuleMaximum { limit: 4 << 30 })
        );
    }
}

#[test]
fn endless_recursion_reports_the_call_stack() {
    assert_eq!(needs_of("endless-recursion.wat"), Err(Stopped::CallStack));
}

#[test]
fn an_out_of_bounds_access_is_a_trap_with_a_one_line_message() {
    let message = trap(needs_of("out-of-bounds.wat"));
    assert!(message.contains("out of bounds memory access"), "{message}");
    assert!(!message.contains('\n'), "{message}");
}

#[test]
fn a_stopped_plugin_stays_stopped_and_does_not_affect_others() {
    let limit = LIMITS.memory;
    for mode in MODES {
        let module = module("memory-bomb.wat", mode);
        let mut plugin = module.start(&LIMITS).unwrap();
        assert_eq!(needs(&mut plugin), Err(Stopped::Memory { limit }));
        trap(needs(&mut plugin));
        let mut other = module.start(&LIMITS).unwrap();
        assert_eq!(needs(&mut other), Err(Stopped::Memory { limit }));
    }
}

#[test]
fn rejects_a_module_with_an_import() {
    assert_eq!(
        load("import.wat").err(),
        Some(LoadError::Import {
            name: "clock".into()
        })
    );
}

#[test]
fn rejects_another_world() {
    let Err(LoadError::World { message }) = load("empty.wat") else {
        panic!("it was accepted")
    };
    assert!(message.contains("landfall:config-management"), "{message}");
}

#[test]
fn rejects_bytes_that_are_not_a_component() {
    for mode in MODES {
        let loaded = Module::compile(b"kind: List", mode);
        assert!(matches!(loaded, Err(LoadError::Unreadable { .. })));
        // SAFETY: these bytes contain no code.
        let loaded = unsafe { Module::precompiled(b"kind: List", mode) };
        assert!(matches!(loaded, Err(LoadError::Unreadable { .. })));
    }
}

/// The edits of a ResourceList, as a module can have them in its memory.
#[derive(Clone, Copy)]
struct AnsweredEdits<'a> {
    text: &'a str,
    /// The length that the module gives for the text.
    text_length: usize,
    offsets: &'a [u32],
    /// The number of offsets that the module gives.
    count: usize,
    /// Where the module says that its offsets are.
    address: u32,
}

impl AnsweredEdits<'_> {
    const OFFSETS: u32 = 8192;

    fn new<'a>(text: &'a str, offsets: &'a [u32]) -> AnsweredEdits<'a> {
        AnsweredEdits {
            text,
            text_length: text.len(),
            offsets,
            count: offsets.len(),
            address: Self::OFFSETS,
        }
    }

    /// Returns the edits of a module that answers with these.
    fn answer(self) -> Result<EditList, Stopped> {
        let data =
            |bytes: &[u8]| -> String { bytes.iter().map(|byte| format!("\\{byte:02x}")).collect() };
        let numbers = |numbers: &[u32]| -> String {
            let bytes: Vec<u8> = numbers
                .iter()
                .flat_map(|number| number.to_le_bytes())
                .collect();
            data(&bytes)
        };
        let number = |length: usize| u32::try_from(length).unwrap();
        // A success with the lists of the edits. No failure, no diagnostics.
        let record = [
            0,
            0,
            4096,
            number(self.text_length),
            self.address,
            number(self.count),
        ];
        let text: String = data(self.text.as_bytes());
        let fixture = format!(
            r#"(memory 1)
            (data (i32.const 2048) "{}")
            (data (i32.const 4096) "{text}")
            (data (i32.const {}) "{}")
            (func $needs (param i32 i32) (result i32) unreachable)"#,
            numbers(&record),
            Self::OFFSETS,
            numbers(self.offsets),
        );
        let mut plugin = component(&fixture, OnTimeout::EndProcess)
            .start(&LIMITS)
            .unwrap();
        let ceiling = Ceiling {
            built_in: BuiltInCeiling::None,
            operator_policy: None,
        };
        let processed = plugin.process(DOCUMENT, &[], &ceiling, None, &[])?;
        Ok(processed.unwrap().edits)
    }
}

/// The document that these modules edit.
const DOCUMENT: &[u8] = b"0123456789";

/// Checks whether an answer with these edits can be applied.
#[track_caller]
fn check_edits(text: &str, offsets: &[u32], expected: Result<usize, BrokenEdits>) {
    let edits = AnsweredEdits::new(text, offsets).answer().unwrap();
    let checked = edits.checked(DOCUMENT.len());
    assert_eq!(checked.map(|edits| edits.len()), expected);
}

#[test]
fn rejects_edits_outside_the_document() {
    check_edits("onetwo", &[0, 2, 3, 2, 10, 6], Ok(2));
    check_edits("onetwo", &[0, 2, 3, 2, 11, 6], Err(BrokenEdits));
    check_edits(
        "onetwo",
        &[0, 2, 3, u32::MAX, u32::MAX, 6],
        Err(BrokenEdits),
    );
}

#[test]
fn rejects_edits_in_descending_order() {
    check_edits("onetwo", &[4, 5, 3, 1, 2, 6], Err(BrokenEdits));
    check_edits("one", &[5, 4, 3], Err(BrokenEdits));
}

#[test]
fn rejects_edits_whose_texts_are_not_in_the_answer() {
    check_edits("onetwo", &[0, 1, 3, 1, 2, 7], Err(BrokenEdits));
    check_edits("onetwo", &[0, 1, u32::MAX, 1, 2, 6], Err(BrokenEdits));
    check_edits("onetwo", &[0, 1, 6, 1, 2, 3], Err(BrokenEdits));
    check_edits("onetwo", &[0, 1, 3, 1, 2, 5], Err(BrokenEdits));
}

#[test]
fn rejects_an_odd_number_of_offsets() {
    check_edits("", &[0], Err(BrokenEdits));
    check_edits("one", &[0, 1, 3, 2], Err(BrokenEdits));
    check_edits("one", &[0, 1, 3, 2, 2], Err(BrokenEdits));
}

#[test]
fn lists_beyond_the_memory_of_the_module_are_traps() {
    let edits = AnsweredEdits::new("one", &[0, 1, 3]);
    assert!(edits.answer().is_ok());
    let all: usize = u32::MAX.try_into().unwrap();
    for broken in [
        AnsweredEdits {
            text_length: 64 << 10,
            ..edits
        },
        AnsweredEdits {
            text_length: all,
            ..edits
        },
        AnsweredEdits {
            count: 32 << 10,
            ..edits
        },
        // Its size in bytes is more than 32 bits.
        AnsweredEdits {
            count: 1 << 30,
            ..edits
        },
        AnsweredEdits {
            count: all,
            ..edits
        },
        AnsweredEdits {
            address: u32::MAX - 3,
            ..edits
        },
    ] {
        let message = trap(broken.answer());
        assert!(message.contains("out of bounds"), "{message}");
    }
    let address = AnsweredEdits::OFFSETS + 1;
    let message = trap(AnsweredEdits { address, ..edits }.answer());
    assert!(message.contains("not aligned"), "{message}");
}

/// The variable that makes the test run the loop instead of starting a child process.
const CHILD: &str = "LANDFALL_SANDBOX_ENDLESS_LOOP";

#[test]
fn an_endless_loop_ends_at_the_time_limit() {
    if std::env::var_os(CHILD).is_some() {
        let limit = LIMITS.wall_time;
        let mut plugin = start("endless-loop.wat", OnTimeout::EndProcess).unwrap();
        let message = format!("{}\n", Stopped::WallTime { limit });
        let _watch = watch_wall_time(limit, message, 3);
        let _ = needs(&mut plugin);
        unreachable!("the loop ended");
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "an_endless_loop_ends_at_the_time_limit",
            "--nocapture",
        ])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(
        stderr.contains("the module exceeded its time limit of 200ms"),
        "{stderr}"
    );
}

#[test]
fn an_endless_loop_returns_an_error_and_others_go_on() {
    let limit = LIMITS.wall_time;
    let module = module("endless-loop.wat", OnTimeout::ReturnError);
    let [mut first, mut second] = [(), ()].map(|()| module.start(&LIMITS).unwrap());
    assert_eq!(needs(&mut first), Err(Stopped::WallTime { limit }));
    trap(needs(&mut first));
    // The limit is that of a call: the time before it does not count.
    std::thread::sleep(limit);
    assert_eq!(needs(&mut second), Err(Stopped::WallTime { limit }));
}

#[test]
fn time_between_calls_does_not_count() {
    let mut plugin = start("own-maximum.wat", OnTimeout::ReturnError).unwrap();
    for _ in 0..3 {
        std::thread::sleep(LIMITS.wall_time);
        assert_eq!(needs(&mut plugin), Ok(Vec::new()));
    }
}

#[test]
fn a_module_that_never_starts_returns_an_error() {
    let fixture = "(memory 1)
        (func $needs (param i32 i32) (result i32) unreachable)
        (func $forever (loop $again (br $again)))
        (start $forever)";
    let started = component(fixture, OnTimeout::ReturnError).start(&LIMITS);
    let limit = LIMITS.wall_time;
    assert_eq!(started.err(), Some(Stopped::WallTime { limit }));
}

/// Code with checks is not run without a clock, nor the other way round.
#[test]
fn code_is_loaded_for_the_mode_that_it_was_compiled_for() {
    let bytes = wat::parse_str("(component)").unwrap();
    for [compiled, loaded] in [MODES, [MODES[1], MODES[0]]] {
        let code = Module::precompile(&bytes, compiled).unwrap();
        // SAFETY: compiled above.
        let module = unsafe { Module::precompiled(&code, loaded) };
        assert!(matches!(module, Err(LoadError::Unreadable { .. })));
    }
}

#[test]
fn a_restarted_watch_has_the_whole_limit_again() {
    let limit = Duration::from_secs(2);
    let watch = watch_wall_time(limit, "the limit passed\n".to_owned(), 3);
    for _ in 0..4 {
        std::thread::sleep(limit / 3);
        watch.restart();
    }
}

#[test]
fn a_paused_watch_waits_until_it_is_restarted() {
    let limit = Duration::from_secs(1);
    let watch = watch_wall_time(limit, "the limit passed\n".to_owned(), 3);
    watch.pause();
    std::thread::sleep(limit * 2);
    watch.restart();
}

#[test]
fn nothing_happens_after_the_watch_is_dropped() {
    let limit = Duration::from_millis(20);
    for _ in 0..3 {
        drop(watch_wall_time(limit, "the limit passed\n".to_owned(), 3));
    }
    std::thread::sleep(limit * 5);
}
