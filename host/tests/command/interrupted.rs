//! Runs that are ended by a signal while they write: all is written or nothing, and
//! nothing else is left. What a killed run leaves, the next one removes.

use std::fs;
use std::process::{Child, Stdio};

use landfall_test_support::seed::factor;
use rustix::process::{Pid, Signal, kill_process};

use crate::run::{INFRA, Place, config_map};

const FILES: usize = 60;

fn name(nth: usize) -> String {
    format!("f{nth:03}.yaml")
}

/// Which file is to be watched, and for what, before the signal is sent.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// So many files are staged.
    Staged(usize),
    /// The file of this position is in its place.
    Placed(usize),
}

impl Moment {
    /// A moment of a run, spread over both phases.
    fn nth(nth: usize) -> Self {
        let position = nth * 37 % (FILES + 1);
        match nth % 2 {
            0 => Self::Staged(position),
            _ => Self::Placed(position.min(FILES - 1)),
        }
    }

    fn has_come(self, place: &Place, folder: &str, value: &str) -> bool {
        match self {
            Self::Staged(0) => place.at(folder).join(".landfall/lock").exists(),
            Self::Staged(count) => {
                let staged = fs::read_dir(place.at(folder).join(".landfall"));
                staged.is_ok_and(|entries| entries.count() > count)
            }
            Self::Placed(nth) => {
                let content = fs::read_to_string(place.at(folder).join(name(nth)));
                content.is_ok_and(|content| content.contains(value))
            }
        }
    }
}

/// Starts a run, sends it `signal` at `moment`, and waits for its end. Whether the run
/// was ended by the signal.
fn end(
    place: &Place,
    arguments: &[&str],
    folder: &str,
    value: &str,
    moment: Moment,
    signal: Signal,
) -> bool {
    use std::os::unix::process::ExitStatusExt;
    let mut child = place
        .command(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !moment.has_come(place, folder, value) && is_running(&mut child) {
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

/// How many of the files hold `value`; all others must hold `other`.
#[track_caller]
fn count(place: &Place, folder: &str, value: &str, other: &str) -> usize {
    let all = (0..FILES).map(|nth| place.read(&format!("{folder}/{}", name(nth))));
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

/// Everything in the folder but the files and the record.
fn leftovers(place: &Place, folder: &str) -> Vec<String> {
    let listed = |folder: &std::path::Path| -> Vec<String> {
        let entries = fs::read_dir(folder).into_iter().flatten();
        entries
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect()
    };
    let folder = place.at(folder);
    let mut found = listed(&folder);
    found.extend(listed(&folder.join(".landfall")));
    let is_known = |path: &String| {
        path == "written"
            || path == "landfall.yaml"
            || path == ".landfall" && folder.join(".landfall/written").exists()
    };
    found.retain(|path| !is_known(path) && !path.starts_with('f'));
    found
}

fn rounds() -> usize {
    usize::try_from(factor()).unwrap() * 12
}

const SIGNALS: [Signal; 3] = [Signal::TERM, Signal::INT, Signal::HUP];

fn output_dir() -> Option<Place> {
    let place = Place::new()?;
    for nth in 0..FILES {
        let line = "vpc: ${infra.vpc_id}\n  end: here";
        place.write(&format!("app/{}", name(nth)), config_map(line));
    }
    place.write("infra.json", infra("first"));
    Some(place)
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
fn a_signal_leaves_all_or_nothing_of_an_output_folder() {
    let Some(place) = output_dir() else { return };
    place.run(RENDER).text();
    let (mut old, mut new) = ("first".to_owned(), String::new());
    let mut ended = 0;
    for round in 0..rounds() {
        new = format!("value-{round}");
        place.write("infra.json", infra(&new));
        let signal = SIGNALS[round % SIGNALS.len()];
        ended += usize::from(end(&place, RENDER, "out", &new, Moment::nth(round), signal));
        let changed = count(&place, "out", &new, &old);
        assert!(
            changed == 0 || changed == FILES,
            "{changed} after {signal:?}"
        );
        assert_eq!(leftovers(&place, "out"), [""; 0]);
        if changed == FILES {
            old.clone_from(&new);
        }
    }
    assert!(ended > 0);
    assert!(!new.is_empty());
}

#[test]
fn a_signal_leaves_nothing_of_a_new_folder() {
    let Some(place) = output_dir() else { return };
    for round in 0..rounds() / 2 {
        let moment = Moment::nth(round);
        end(
            &place,
            RENDER,
            "out",
            "first",
            moment,
            SIGNALS[round % SIGNALS.len()],
        );
        match place.at("out").exists() {
            true => assert_eq!(count(&place, "out", "first", "first"), FILES),
            false => continue,
        }
        assert_eq!(leftovers(&place, "out"), [""; 0]);
        fs::remove_dir_all(place.at("out")).unwrap();
    }
}

#[test]
fn the_next_run_removes_what_a_killed_one_left() {
    let Some(place) = output_dir() else { return };
    place.run(RENDER).text();
    let mut old = "first".to_owned();
    let mut left = 0;
    for round in 0..rounds() {
        let new = format!("value-{round}");
        place.write("infra.json", infra(&new));
        end(
            &place,
            RENDER,
            "out",
            &new,
            Moment::nth(round),
            Signal::KILL,
        );
        // Each file is whole.
        count(&place, "out", &new, &old);
        left += usize::from(!leftovers(&place, "out").is_empty());
        // Without one file, which may be of either run.
        let file = format!("app/{}", name(round % FILES));
        let source = place.read(&file);
        fs::remove_file(place.at(&file)).unwrap();
        place.run(RENDER).text();
        assert!(
            !place.at(&file.replace("app", "out")).exists(),
            "round {round}"
        );
        assert_eq!(leftovers(&place, "out"), [""; 0]);
        place.write(&file, source);
        place.run(RENDER).text();
        assert_eq!(count(&place, "out", &new, &new), FILES);
        old = new;
    }
    assert!(left > 0);
}

#[test]
fn a_signal_leaves_all_or_nothing_in_place() {
    let Some(place) = Place::new() else { return };
    for nth in 0..FILES {
        let line = "vpc: first # landfall: ${infra.vpc_id}\n  end: here";
        place.write(&format!("app/{}", name(nth)), config_map(line));
    }
    let render = ["render", "app", "-b", "infra.json", "--in-place"];
    let mut old = "first".to_owned();
    for round in 0..rounds() {
        let new = format!("value-{round}");
        place.write("infra.json", infra(&new));
        let (moment, signal) = (Moment::nth(round), SIGNALS[round % SIGNALS.len()]);
        end(&place, &render, "app", &new, moment, signal);
        let changed = count(&place, "app", &new, &old);
        assert!(
            changed == 0 || changed == FILES,
            "{changed} after {signal:?}"
        );
        assert_eq!(leftovers(&place, "app"), [""; 0]);
        end(&place, &render, "app", &new, moment, Signal::KILL);
        count(&place, "app", &new, &old);
        place.run(&render).text();
        assert_eq!(count(&place, "app", &new, &new), FILES);
        assert_eq!(leftovers(&place, "app"), [""; 0]);
        old = new;
    }
}

#[test]
fn two_runs_at_once_both_succeed() {
    let Some(place) = output_dir() else { return };
    for round in 0..rounds() / 2 {
        let runs = ["one", "two"].map(|value| {
            let file = format!("{value}.json");
            place.write(&file, infra(value));
            let mut command =
                place.command(&["render", "app", "--output-dir", "out", "--prune", "-b"]);
            command
                .arg(format!("infra={file}"))
                .stdin(Stdio::null())
                .spawn()
                .unwrap()
        });
        for mut run in runs {
            assert!(run.wait().unwrap().success(), "round {round}");
        }
        let first = count(&place, "out", "one", "two");
        assert!(first == 0 || first == FILES, "{first}");
        assert_eq!(leftovers(&place, "out"), [""; 0]);
        if round % 2 == 0 {
            fs::remove_dir_all(place.at("out")).unwrap();
        }
    }
}

/// The shell's limit of a file's size stands in for a full disk.
#[test]
fn a_write_error_leaves_nothing() {
    let Some(place) = Place::with_infra() else {
        return;
    };
    place.write("app/a.yaml", config_map("vpc: ${infra.vpc_id}"));
    let long = format!("long: {}", "x".repeat(64 << 10));
    place.write("app/b.yaml", config_map(&long));
    place.write("out/a.yaml", "before");
    let before = place.snapshot();
    let run = crate::run::finish(
        std::process::Command::new("sh")
            .args([
                "-c",
                "ulimit -f 16; exec \"$0\" \"$@\"",
                env!("CARGO_BIN_EXE_landfall"),
            ])
            .args(["render", "app", "-b", "infra.json", "--output-dir", "out"])
            .stdin(Stdio::null())
            .current_dir(place.path()),
        b"",
    );
    run.input_error(&["unwritable-file", "out/b.yaml", "too large"]);
    assert_eq!(place.snapshot(), before);
}
