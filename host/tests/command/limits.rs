//! The limits of a run, each with its error and its flag.

use std::fs::File;

use crate::run::{TestFolder, config_map};

#[test]
fn total_input_size() {
    let folder = TestFolder::with_infra();
    folder.write("a.yaml", config_map(&format!("a: {}", "x".repeat(3000))));
    folder.write("b.yaml", config_map(&format!("b: {}", "x".repeat(3000))));
    let render = |limit| {
        folder.run(&[
            "render",
            "a.yaml",
            "b.yaml",
            "-b",
            "infra.json",
            "--max-input",
            limit,
        ])
    };
    render("4KiB").assert_input_error(&[
        "input-too-large",
        "`b.yaml`",
        "4096 bytes",
        "--max-input",
    ]);
    assert_eq!(render("8KiB").code, Some(0));
    let of_folder = folder.run(&["render", "-b", "infra.json", "--max-input", "4KiB"]);
    of_folder.assert_input_error(&["input-too-large", "`b.yaml`"]);
}

#[test]
fn input_size_of_a_pipe() {
    let folder = TestFolder::with_infra();
    let arguments = ["render", "-", "-b", "infra.json", "--max-input", "1KiB"];
    folder
        .run_with_stdin(&arguments, "# a comment\n".repeat(1000))
        .assert_input_error(&["input-too-large", "`<stdin>`"]);
    folder
        .run_with_stdin(&["krm", "--max-input", "1KiB"], "x".repeat(2000))
        .assert_input_error(&["input-too-large"]);
}

#[test]
fn the_default_is_256_mebibytes() {
    let folder = TestFolder::with_infra();
    File::create(folder.at("large.yaml"))
        .unwrap()
        .set_len((256 << 20) + 1)
        .unwrap();
    let run = folder.run(&["render", "large.yaml", "-b", "infra.json"]);
    run.assert_input_error(&["input-too-large", "`large.yaml`", "268435456 bytes"]);
}

#[test]
fn memory_of_the_module() {
    let folder = TestFolder::with_infra();
    folder.write("a.yaml", "# a comment\n".repeat(500_000));
    let run = folder.run(&[
        "render",
        "a.yaml",
        "-b",
        "infra.json",
        "--max-memory",
        "4MiB",
    ]);
    run.assert_fails(
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
    let folder = TestFolder::with_infra();
    folder.write("a.yaml", config_map("a: ${infra.vpc_id}"));
    let mut command = std::process::Command::new("sh");
    let script = "ulimit -v 3000000; exec \"$0\" render a.yaml -b infra.json";
    command
        .args(["-c", script, env!("CARGO_BIN_EXE_landfall")])
        .current_dir(folder.path())
        .stdin(std::process::Stdio::null());
    let run = crate::run::finish(&mut command, b"");
    assert!(!run.stderr.contains("trap"), "{}", run.stderr);
    run.assert_fails(
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
    let folder = TestFolder::with_infra();
    folder.write("a.yaml", "- ${infra.vpc_id}\n".repeat(1_000_000));
    let run = folder.run(&["render", "a.yaml", "-b", "infra.json", "--max-time", "1ms"]);
    run.assert_fails(
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
    let folder = TestFolder::with_infra();
    let source = "- ${infra.vpc_id}\n".repeat(1000);
    let arguments = ["render", "-", "-b", "infra.json", "--max-answer", "4KiB"];
    folder
        .run_with_stdin(&arguments, &source)
        .assert_input_error(&["answer-too-large"]);
    let arguments = ["render", "-", "-b", "infra.json", "--max-answer", "8KiB"];
    assert_eq!(folder.run_with_stdin(&arguments, &source).code, Some(0));
}

/// 64,000 errors on one line: at most a thousand are reported, all are counted.
#[test]
fn errors_beyond_the_thousandth_are_counted() {
    let folder = TestFolder::with_infra();
    let line = "${infra.nothing} ".repeat(64_000);
    folder.write("a.yaml", format!("a: {line}\nb: ${{infra.vpc_id}}\n"));
    let arguments = ["render", "a.yaml", "-b", "infra.json", "--max-time", "5s"];
    folder.run(&arguments).assert_input_error(&[
        "64000 errors, the first 50 are shown (-v shows 1000); nothing was rendered",
    ]);
    let arguments = ["check", "a.yaml", "-b", "infra.json", "-o", "json"];
    let report = folder.run(&arguments);
    assert_eq!(report.code, Some(1));
    let report: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
    assert_eq!(report["counts"]["errors"], 64_000);
    assert_eq!(report["diagnostics"].as_array().unwrap().len(), 1_000);
    for (format, more) in [
        ("sarif", "63000 more errors"),
        ("junit", "63000 more errors"),
        ("github", "63990 more"),
    ] {
        let report = folder.run(&["check", "a.yaml", "-b", "infra.json", "-o", format]);
        let text = String::from_utf8(report.stdout).unwrap();
        assert!(text.len() < 4 << 20, "{format}: {} bytes", text.len());
        assert!(text.contains(more), "{format}");
    }
}
