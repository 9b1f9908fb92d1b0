//! Runs that are ended by a signal while they write: all files are written or none, and
//! nothing else is left. The next run removes what a killed one left.

use std::fs;
use std::process::{Child, Stdio};

use landfall_test_support::seed::factor;
use rustix::process::{Pid, Signal, kill_process};

use crate::run::{INFRA, TestFolder, config_map};

const FILES: usize = 60;

fn name(nth: usize) -> String {
    format!("f{nth:03}.yaml")
}

/// When to send the signal.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// This many files are staged.
    Staged(usize),
    /// The file with this index has its new content.
    Published(usize),
}

impl Moment {
    /// Returns the moment for round `nth`. The moments are spread over both phases.
    fn nth(nth: usize) -> Self {
        let position = nth * 37 % (FILES + 1);
        match nth % 2 {
            0 => Self::Staged(position),
            _ => Self::Published(position.min(FILES - 1)),
        }
    }

    fn is_reached(self, folder: &TestFolder, subfolder: &str, value: &str) -> bool {
        match self {
            Self::Staged(0) => folder.at(subfolder).join(".landfall/lock").exists(),
            Self::Staged(count) => {
                let staged = fs::read_dir(folder.at(subfolder).join(".landfall"));
                staged.is_ok_and(|entries| entries.count() > count)
            }
            Self::Published(nth) => {
                let content = fs::read_to_string(folder.at(subfolder).join(name(nth)));
                content.is_ok_and(|content| content.contains(value))
            }
        }
    }
}

/// Starts a run, sends it `signal` at `moment`, and waits for its end. Returns whether
/// the signal ended the run.
fn run_and_signal(
    folder: &TestFolder,
    arguments: &[&str],
    subfolder: &str,
    value: &str,
    moment: Moment,
    signal: Signal,
) -> bool {
    use std::os::unix::process::ExitStatusExt;
    let mut child = folder
        .command(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !moment.is_reached(folder, subfolder, value) && is_running(&mut child) {
        std::hint::spin_loop();
    }
    let _ = kill_process(Pid::from_child(&child), signal);
    let status = child.wait().unwrap();
    status.signal() == Some(signal.as_raw())
}

fn is_running(child: &mut Child) -> bool {
    child.try_wait().unwrap().is_none()
}

fn infra(value: &str) -> String {
    INFRA.replace("vpc-0ab1", value)
}

/// Returns the number of files that contain `value`; all others must contain `other`.
#[track_caller]
fn count(folder: &TestFolder, subfolder: &str, value: &str, other: &str) -> usize {
    let all = (0..FILES).map(|nth| folder.read(&format!("{subfolder}/{}", name(nth))));
    let counted = all.filter(|content| {
        assert!(content.ends_with("end: here\n"), "{content}");
        assert!(
            content.contains(value) || content.contains(other),
            "{content}"
        );
        content.contains(value)
    });
    counted.count()
}

/// Returns everything in the folder except the files, the Binding and the record.
fn leftovers(folder: &TestFolder, subfolder: &str) -> Vec<String> {
    let listed = |path: &std::path::Path| -> Vec<String> {
        let entries = fs::read_dir(path).into_iter().flatten();
        entries
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect()
    };
    let path = folder.at(subfolder);
    let mut found = listed(&path);
    found.extend(listed(&path.join(".landfall")));
    let is_known = |name: &String| {
        name == "written"
            || name == "landfall.yaml"
            || name == ".landfall" && path.join(".landfall/written").exists()
    };
    found.retain(|name| !is_known(name) && !name.starts_with('f'));
    found
}

fn rounds() -> usize {
    usize::try_from(factor()).unwrap() * 12
}

const SIGNALS: [Signal; 3] = [Signal::TERM, Signal::INT, Signal::HUP];

fn output_dir() -> TestFolder {
    let folder = TestFolder::new();
    for nth in 0..FILES {
        let line = "vpc: ${infra.vpc_id}\n  end: here";
        let manifest = config_map(line).replace("name: web", &format!("name: web{nth}"));
        folder.write(&format!("app/{}", name(nth)), manifest);
    }
    folder.write("infra.json", infra("first"));
    folder
}

const RENDER: &[&str] = &[
    "render",
    "app",
    "-b",
    "infra.json",
    "--output-dir",
    "out",
    "--prune",
];

#[test]
fn a_signal_changes_all_files_of_an_output_folder_or_none() {
    let folder = output_dir();
    folder.run(RENDER).expect_stdout();
    let (mut old, mut new) = ("first".to_owned(), String::new());
    let mut ended = 0;
    for round in 0..rounds() {
        new = format!("value-{round}");
        folder.write("infra.json", infra(&new));
        let signal = SIGNALS[round % SIGNALS.len()];
        ended += usize::from(run_and_signal(
            &folder,
            RENDER,
            "out",
            &new,
            Moment::nth(round),
            signal,
        ));
        let changed = count(&folder, "out", &new, &old);
        assert!(
            changed == 0 || changed == FILES,
            "{changed} after {signal:?}"
        );
        assert_eq!(leftovers(&folder, "out"), [""; 0]);
        if changed == FILES {
            old.clone_from(&new);
        }
    }
    assert!(ended > 0);
    assert!(!new.is_empty());
}

#[test]
fn a_signal_leaves_no_partial_output_folder() {
    let folder = output_dir();
    for round in 0..rounds() / 2 {
        let moment = Moment::nth(round);
        run_and_signal(
            &folder,
            RENDER,
            "out",
            "first",
            moment,
            SIGNALS[round % SIGNALS.len()],
        );
        if !folder.at("out").exists() {
            continue;
        }
        assert_eq!(count(&folder, "out", "first", "first"), FILES);
        assert_eq!(leftovers(&folder, "out"), [""; 0]);
        fs::remove_dir_all(folder.at("out")).unwrap();
    }
}

#[test]
fn the_next_run_removes_what_a_killed_one_left() {
    let folder = output_dir();
    folder.run(RENDER).expect_stdout();
    let mut old = "first".to_owned();
    let mut left = 0;
    for round in 0..rounds() {
        let new = format!("value-{round}");
        folder.write("infra.json", infra(&new));
        run_and_signal(
            &folder,
            RENDER,
            "out",
            &new,
            Moment::nth(round),
            Signal::KILL,
        );
        // Each file is complete.
        count(&folder, "out", &new, &old);
        left += usize::from(!leftovers(&folder, "out").is_empty());
        // The next run prunes a file, whichever run wrote it.
        let file = format!("app/{}", name(round % FILES));
        let source = folder.read(&file);
        fs::remove_file(folder.at(&file)).unwrap();
        folder.run(RENDER).expect_stdout();
        assert!(
            !folder.at(&file.replace("app", "out")).exists(),
            "round {round}"
        );
        assert_eq!(leftovers(&folder, "out"), [""; 0]);
        folder.write(&file, source);
        folder.run(RENDER).expect_stdout();
        assert_eq!(count(&folder, "out", &new, &new), FILES);
        old = new;
    }
    assert!(left > 0);
}

#[test]
fn a_signal_changes_all_files_in_place_or_none() {
    let folder = TestFolder::new();
    for nth in 0..FILES {
        let line = "vpc: first # landfall: ${infra.vpc_id}\n  end: here";
        folder.write(&format!("app/{}", name(nth)), config_map(line));
    }
    let render = ["render", "app", "-b", "infra.json", "--in-place"];
    let mut old = "first".to_owned();
    for round in 0..rounds() {
        let new = format!("value-{round}");
        folder.write("infra.json", infra(&new));
        let (moment, signal) = (Moment::nth(round), SIGNALS[round % SIGNALS.len()]);
        run_and_signal(&folder, &render, "app", &new, moment, signal);
        let changed = count(&folder, "app", &new, &old);
        assert!(
            changed == 0 || changed == FILES,
            "{changed} after {signal:?}"
        );
        assert_eq!(leftovers(&folder, "app"), [""; 0]);
        run_and_signal(&folder, &render, "app", &new, moment, Signal::KILL);
        count(&folder, "app", &new, &old);
        folder.run(&render).expect_stdout();
        assert_eq!(count(&folder, "app", &new, &new), FILES);
        assert_eq!(leftovers(&folder, "app"), [""; 0]);
        old = new;
    }
}

#[test]
fn two_runs_at_once_both_succeed() {
    let folder = output_dir();
    for round in 0..rounds() / 2 {
        let runs = ["one", "two"].map(|value| {
            let file = format!("{value}.json");
            folder.write(&file, infra(value));
            let mut command =
                folder.command(&["render", "app", "--output-dir", "out", "--prune", "-b"]);
            command
                .arg(format!("infra={file}"))
                .stdin(Stdio::null())
                .spawn()
                .unwrap()
        });
        for mut run in runs {
            assert!(run.wait().unwrap().success(), "round {round}");
        }
        let first = count(&folder, "out", "one", "two");
        assert!(first == 0 || first == FILES, "{first}");
        assert_eq!(leftovers(&folder, "out"), [""; 0]);
        if round % 2 == 0 {
            fs::remove_dir_all(folder.at("out")).unwrap();
        }
    }
}

/// The shell's file size limit simulates a full disk.
#[test]
fn a_write_error_changes_no_file() {
    let folder = TestFolder::with_infra();
    folder.write("app/a.yaml", config_map("vpc: ${infra.vpc_id}"));
    let long = format!("long: {}", "x".repeat(64 << 10));
    folder.write("app/b.yaml", config_map(&long));
    folder.write("out/a.yaml", "before");
    let before = folder.snapshot();
    let run = crate::run::finish(
        std::process::Command::new("sh")
            .args([
                "-c",
                "ulimit -f 16; exec \"$0\" \"$@\"",
                env!("CARGO_BIN_EXE_landfall"),
            ])
            .args(["render", "app", "-b", "infra.json", "--output-dir", "out"])
            .stdin(Stdio::null())
            .current_dir(folder.path()),
        b"",
    );
    run.assert_input_error(&["unwritable-file", "out/b.yaml", "too large"]);
    assert_eq!(folder.snapshot(), before);
}
