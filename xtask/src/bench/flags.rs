//! The command line.

use std::path::PathBuf;

use anyhow::{Result, bail};

use super::inputs::Input;

pub(super) const HELP: &str = "\
usage: cargo xtask bench [--quick] [--guest-sizes] [--only INPUT]...
       cargo xtask bench --functions
       cargo xtask bench --steps
       cargo xtask bench --fleet
       cargo xtask bench --growth [--quick] [--command FILE]
       cargo xtask bench --plugin-server [--command FILE]

Measures cat, GNU envsubst, Flux's text tool, yq and dist/landfall on the same work
in one run, prints the tables and writes them to benches/RESULTS.md. Builds
dist/landfall and the peers first.

  --quick         few rounds; benches/RESULTS.md is left as it is
  --only INPUT    only this input (small, sparse, dense, dense16); may be given
                  several times; benches/RESULTS.md is left as it is
  --guest-sizes   also build the module for size (opt-level \"s\") and measure it
                  beside the one in dist/
  --functions     only what each function of a reference costs; that section of
                  benches/RESULTS.md is written, and the rest is left as it is
  --steps         only what each step of a render costs, in time and allocations, beside
                  its budget; that section of benches/RESULTS.md is written, and the rest
                  is left as it is
  --fleet         only one source against 1,000 outputs documents; that section of
                  benches/RESULTS.md is written, and the rest is left as it is
  --growth        only whether twice the input takes twice the time; that section of
                  benches/RESULTS.md is written, and the rest is left as it is
  --plugin-server only calls through Argo CD's plugin server; that section of
                  benches/RESULTS.md is written, and the rest is left as it is
  --command FILE  with --growth or --plugin-server: measure this command, and leave
                  benches/RESULTS.md as it is; landfall is not built
  --help          this text

LANDFALL_CORPORA names the folder with the corpora; without it the text of `sparse`
is generated.
";

/// What to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Flags {
    pub(super) quick: bool,
    pub(super) guest_sizes: bool,
    /// Measure only the functions.
    pub(super) functions: bool,
    /// Measure only the steps of a render.
    pub(super) steps: bool,
    /// Measure only one source with many outputs documents.
    pub(super) fleet: bool,
    /// Measure only growth with twice the input.
    pub(super) growth: bool,
    /// Measure only calls through Argo CD's plugin server.
    pub(super) plugin_server: bool,
    /// The command to measure instead of dist/landfall.
    pub(super) command: Option<PathBuf>,
    /// The inputs, in the order in which they are measured.
    pub(super) inputs: Vec<&'static str>,
}

impl Flags {
    /// Parses the arguments. Returns `None` if help was requested.
    pub(super) fn read(arguments: &[String]) -> Result<Option<Self>> {
        let mut flags = Self {
            quick: false,
            guest_sizes: false,
            functions: false,
            steps: false,
            fleet: false,
            growth: false,
            plugin_server: false,
            command: None,
            inputs: Vec::new(),
        };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--quick" => flags.quick = true,
                "--guest-sizes" => flags.guest_sizes = true,
                "--functions" => flags.functions = true,
                "--steps" => flags.steps = true,
                "--fleet" => flags.fleet = true,
                "--growth" => flags.growth = true,
                "--plugin-server" => flags.plugin_server = true,
                "--command" => match arguments.next() {
                    Some(file) => flags.command = Some(file.into()),
                    None => bail!("--command takes a file"),
                },
                "--only" => {
                    let name = arguments.next().map_or("", String::as_str);
                    match Input::NAMES.iter().find(|known| **known == name) {
                        Some(known) => flags.inputs.push(known),
                        None => bail!(
                            "--only takes one of {}, not `{name}`",
                            Input::NAMES.join(", ")
                        ),
                    }
                }
                "-h" | "--help" => return Ok(None),
                _ => bail!("`{argument}` is not understood\n{HELP}"),
            }
        }
        let is_combined = flags.quick || flags.guest_sizes || !flags.inputs.is_empty();
        if flags.functions && (is_combined || flags.fleet) {
            bail!("--functions is measured alone: it takes no other flag");
        }
        if flags.steps && (is_combined || flags.functions || flags.fleet || flags.growth) {
            bail!("--steps is measured alone: it takes no other flag");
        }
        if flags.fleet && (is_combined || flags.growth) {
            bail!("--fleet is measured alone: it takes no other flag");
        }
        if flags.growth && (flags.functions || flags.guest_sizes || !flags.inputs.is_empty()) {
            bail!("--growth is measured alone: it takes --quick and --command, and no other flag");
        }
        let is_other = flags.functions || flags.steps || flags.fleet || flags.growth;
        if flags.plugin_server && (is_combined || is_other) {
            bail!("--plugin-server is measured alone: it takes --command, and no other flag");
        }
        if flags.command.is_some() && !flags.growth && !flags.plugin_server {
            bail!("--command is for --growth and --plugin-server");
        }
        let is_wanted = |name: &&str| flags.inputs.is_empty() || flags.inputs.contains(name);
        flags.inputs = Input::NAMES.into_iter().filter(is_wanted).collect();
        Ok(Some(flags))
    }

    /// Whether the results cover the whole page.
    pub(super) fn is_whole(&self) -> bool {
        !self.quick && self.inputs.len() == Input::NAMES.len()
    }
}

#[cfg(test)]
mod tests {
    use super::Flags;

    fn read(arguments: &[&str]) -> Option<Flags> {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        Flags::read(&arguments).unwrap()
    }

    #[test]
    fn inputs_are_measured_in_one_order() {
        let flags = read(&["--only", "dense", "--only", "small"]).unwrap();
        assert_eq!(flags.inputs, ["small", "dense"]);
        assert!(!flags.is_whole());
    }

    #[test]
    fn measures_everything_by_default() {
        assert!(read(&[]).unwrap().is_whole());
        assert!(!read(&["--quick"]).unwrap().is_whole());
        assert_eq!(read(&["--quick", "--help"]), None);
        assert!(Flags::read(&["--only".to_owned(), "huge".to_owned()]).is_err());
    }

    #[test]
    fn functions_alone() {
        assert!(read(&["--functions"]).unwrap().functions);
        assert!(!read(&[]).unwrap().functions);
        let both = ["--functions".to_owned(), "--quick".to_owned()];
        assert!(Flags::read(&both).is_err());
    }

    #[test]
    fn steps_alone() {
        assert!(read(&["--steps"]).unwrap().steps);
        for other in [
            "--quick",
            "--growth",
            "--functions",
            "--fleet",
            "--plugin-server",
        ] {
            let both = ["--steps".to_owned(), other.to_owned()];
            assert!(Flags::read(&both).is_err(), "{other}");
        }
    }

    #[test]
    fn fleet_alone() {
        assert!(read(&["--fleet"]).unwrap().fleet);
        for other in ["--quick", "--growth", "--functions"] {
            let both = ["--fleet".to_owned(), other.to_owned()];
            assert!(Flags::read(&both).is_err(), "{other}");
        }
    }

    #[test]
    fn plugin_server_alone() {
        let flags = read(&["--plugin-server", "--command", "landfall"]).unwrap();
        assert!(flags.plugin_server && flags.command.is_some());
        for other in ["--quick", "--growth", "--functions", "--fleet"] {
            let both = ["--plugin-server".to_owned(), other.to_owned()];
            assert!(Flags::read(&both).is_err(), "{other}");
        }
    }

    #[test]
    fn growth_alone() {
        let flags = read(&["--growth", "--quick", "--command", "landfall"]).unwrap();
        assert!(flags.growth && flags.quick && flags.command.is_some());
        for wrong in [&["--growth", "--functions"][..], &["--command", "landfall"]] {
            let wrong: Vec<String> = wrong.iter().map(ToString::to_string).collect();
            assert!(Flags::read(&wrong).is_err());
        }
    }
}
