//! The bounds of a run, each with its error and its flag.

use std::fs::File;

use crate::run::{Place, config_map};

#[test]
fn input_all_files_together() {
    let Some(place) = Place::with_infra() else {
        return;
    };
    place.write("a.yaml", config_map(&format!("a: {}", "x".repeat(3000))));
    place.write("b.yaml", config_map(&format!("b: {}", "x".repeat(3000))));
    let render = |limit| {
        place.run(&[
            "render",
            "a.yaml",
            "b.yaml",
            "-b",
            "infra.json",
            "--max-input",
            limit,
        ])
    };
    render("4KiB").input_error(&["input-too-large", "`b.yaml`", "4096 bytes", "--max-input"]);
    assert_eq!(render("8KiB").code, Some(0));
    let folder = place.run(&["render", "-b", "infra.json", "--max-input", "4KiB"]);
    folder.input_error(&["input-too-large", "`b.yaml`"]);
}

#[test]
fn input_from_a_pipe() {
    let Some(place) = Place::with_infra() else {
        return;
    };
    let arguments = ["render", "-", "-b", "infra.json", "--max-input", "1KiB"];
    place
        .run_with_stdin(&arguments, "# a comment\n".repeat(1000))
        .input_error(&["input-too-large", "`<stdin>`"]);
    place
        .run_with_stdin(&["krm", "--max-input", "1KiB"], "x".repeat(2000))
        .input_error(&["input-too-large"]);
}

#[test]
fn the_default_is_256_mebibytes() {
    let Some(place) = Place::with_infra() else {
        return;
    };
    File::create(place.at("large.yaml"))
        .unwrap()
        .set_len((256 << 20) + 1)
        .unwrap();
    let run = place.run(&["render", "large.yaml", "-b", "infra.json"]);
    run.input_error(&["input-too-large", "`large.yaml`", "268435456 bytes"]);
}

#[test]
fn memory_of_the_module() {
    let Some(place) = Place::with_infra() else {
        return;
    };
    place.write("a.yaml", "# a comment\n".repeat(500_000));
    let run = place.run(&[
        "render",
        "a.yaml",
        "-b",
        "infra.json",
        "--max-memory",
        "4MiB",
    ]);
    run.refused(
        3,
        &[
            "exceeded its memory limit of 4 MiB",
            "--max-memory",
            "nothing was rendered",
        ],
    );
}

/// The error must not blame the module if the system has no address space.
#[cfg(target_os = "linux")]
#[test]
fn address_space_of_the_system() {
    let Some(place) = Place::with_infra() else {
        return;
    };
    place.write("a.yaml", config_map("a: ${infra.vpc_id}"));
    let mut command = std::process::Command::new("sh");
    let script = "ulimit -v 3000000; exec \"$0\" render a.yaml -b infra.json";
    command
        .args(["-c", script, env!("CARGO_BIN_EXE_landfall")])
        .current_dir(place.path())
        .stdin(std::process::Stdio::null());
    let run = crate::run::finish(&mut command, b"");
    assert!(!run.stderr.contains("trap"), "{}", run.stderr);
    run.refused(
        3,
        &[
            "the system has no address space left for the module, which reserves 4 GiB",
            "`ulimit -v unlimited`",
            "nothing was rendered",
        ],
    );
}

#[test]
fn time_of_the_module() {
    let Some(place) = Place::with_infra() else {
        return;
    };
    place.write("a.yaml", "- ${infra.vpc_id}\n".repeat(1_000_000));
    let run = place.run(&["render", "a.yaml", "-b", "infra.json", "--max-time", "1ms"]);
    run.refused(
        3,
        &[
            "exceeded its time limit of 1ms",
            "--max-time",
            "nothing was rendered",
        ],
    );
}

#[test]
fn the_size_of_the_answer() {
    let Some(place) = Place::with_infra() else {
        return;
    };
    let source = "- ${infra.vpc_id}\n".repeat(1000);
    let arguments = ["render", "-", "-b", "infra.json", "--max-answer", "4KiB"];
    place
        .run_with_stdin(&arguments, &source)
        .input_error(&["answer-too-large"]);
    let arguments = ["render", "-", "-b", "infra.json", "--max-answer", "8KiB"];
    assert_eq!(place.run_with_stdin(&arguments, &source).code, Some(0));
}

/// 64,000 errors in one line: the first thousand are drawn, all are counted.
#[test]
fn errors_beyond_the_thousandth_are_counted() {
    let Some(place) = Place::with_infra() else {
        return;
    };
    let line = "${infra.nothing} ".repeat(64_000);
    place.write("a.yaml", format!("a: {line}\nb: ${{infra.vpc_id}}\n"));
    let arguments = ["render", "a.yaml", "-b", "infra.json", "--max-time", "5s"];
    place.run(&arguments).input_error(&[
        "64000 errors, the first 50 are shown (-v shows 1000); nothing was rendered",
    ]);
    let arguments = ["check", "a.yaml", "-b", "infra.json", "-o", "json"];
    let report = place.run(&arguments);
    assert_eq!(report.code, Some(1));
    let report: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
    assert_eq!(report["counts"]["errors"], 64_000);
    assert_eq!(report["diagnostics"].as_array().unwrap().len(), 1_000);
    for (format, more) in [
        ("sarif", "63000 more errors"),
        ("junit", "63000 more errors"),
        ("github", "63990 more"),
    ] {
        let report = place.run(&["check", "a.yaml", "-b", "infra.json", "-o", format]);
        let text = String::from_utf8(report.stdout).unwrap();
        assert!(text.len() < 4 << 20, "{format}: {} bytes", text.len());
        assert!(text.contains(more), "{format}");
    }
}
