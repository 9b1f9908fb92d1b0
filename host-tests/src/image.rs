//! The images of `deploy/argocd/Dockerfile`, assembled in a folder without Docker: what the
//! final stages copy, and nothing else.
//!
//! Files that an earlier stage builds are those that `cargo xtask dist` and
//! `cargo xtask tools` built on this machine, with the commands and versions of that stage
//! (`tests/real/argo_cd_image.rs` compares them).

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use crate::program;
use crate::scratch::{self, Scratch};

/// An instruction of a Dockerfile: its keyword and its words.
pub struct Instruction {
    /// `COPY`, in upper case.
    pub keyword: String,
    /// The rest, split at spaces.
    pub words: Vec<String>,
}

/// An assembled image.
pub struct Image {
    root: Scratch,
    /// The variables of `ENV`.
    pub environment: BTreeMap<String, String>,
    /// The user and the group of `USER`.
    pub user: String,
    /// The program of `ENTRYPOINT`, which has no arguments.
    pub entrypoint: String,
}

/// Returns the instructions of `deploy/argocd/Dockerfile`.
#[must_use]
pub fn dockerfile() -> Vec<Instruction> {
    let path = program::repository().join("deploy/argocd/Dockerfile");
    let text = scratch::read(&path);
    let lines: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let joined = lines.join("\n").replace("\\\n", " ");
    let instructions = joined.lines().filter_map(|line| {
        let mut words = line.split_whitespace().map(str::to_owned);
        let keyword = words.next()?.to_ascii_uppercase();
        let words = words.collect();
        Some(Instruction { keyword, words })
    });
    instructions.collect()
}

impl Image {
    /// Assembles the stage `target`.
    ///
    /// # Panics
    /// There is no such stage, or it has an instruction that is not understood here, or a
    /// program was not built.
    #[must_use]
    pub fn assemble(target: &str) -> Self {
        let instructions = dockerfile();
        let start = instructions
            .iter()
            .position(|one| one.keyword == "FROM" && one.words[1..] == ["AS", target])
            .unwrap_or_else(|| panic!("no stage {target}"));
        let base = instructions[start].words[0].as_str();
        let mut image = match base {
            "scratch" => Self {
                root: Scratch::new(),
                environment: BTreeMap::new(),
                user: "0:0".to_owned(),
                entrypoint: String::new(),
            },
            stage => Self::assemble(stage),
        };
        let stage = instructions[start + 1..]
            .iter()
            .take_while(|one| one.keyword != "FROM");
        for Instruction { keyword, words } in stage {
            match keyword.as_str() {
                "COPY" => image.copy(words),
                "ENV" => image.environment.extend(words.iter().map(|word| {
                    let (name, value) = word.split_once('=').expect("NAME=value");
                    (name.to_owned(), value.to_owned())
                })),
                "USER" => image.user.clone_from(&words[0]),
                "ENTRYPOINT" => {
                    let program = words[0].trim_matches(['[', ']', '"']);
                    program.clone_into(&mut image.entrypoint);
                }
                "LABEL" => {}
                other => panic!("{other} in a final stage of the Dockerfile"),
            }
        }
        image
    }

    /// Copies a file as `COPY [--from=STAGE] --chmod=MODE SOURCE TARGET` does. Its folders
    /// belong to root, with mode 0755.
    fn copy(&mut self, words: &[String]) {
        let (options, paths): (Vec<_>, Vec<_>) =
            words.iter().partition(|word| word.starts_with("--"));
        let option = |name: &str| {
            let mut values = options
                .iter()
                .filter_map(|option| option.strip_prefix(name));
            values.next()
        };
        let [source, target] = paths[..] else {
            panic!("COPY {words:?}")
        };
        let source = match option("--from=") {
            None => program::repository().join(source),
            Some("build") => {
                assert_eq!(source, "/src/dist/landfall");
                program::landfall()
            }
            Some("tools") => program::tool(source.strip_prefix("/out/").expect("in /out")),
            Some(stage) => panic!("no stage {stage}"),
        };
        let mode = u32::from_str_radix(option("--chmod=").expect("a mode"), 8).expect("octal");
        let target = self.path(target);
        fs::create_dir_all(target.parent().expect("a file in a folder")).expect("its folder");
        fs::copy(&source, &target).unwrap_or_else(|error| panic!("{}: {error}", source.display()));
        fs::set_permissions(&target, fs::Permissions::from_mode(mode)).expect("its mode");
    }

    /// Returns where an absolute path of the image is on this machine.
    #[must_use]
    pub fn path(&self, path: &str) -> PathBuf {
        self.root.at(path.trim_start_matches('/'))
    }
}
