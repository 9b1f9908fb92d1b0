//! landfall as a function of kustomize, compared with one that copies, and its field bindings
//! with kustomize's own replacements.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::Bench;
use super::inputs::{Dialect, Inputs, OUTPUTS};
use super::race::{Contender, Series, race};
use super::table::{Table, grouped, mark, megabytes, millis};
use crate::process::run;
use crate::tools;

const APPLICATIONS: usize = 400;
/// Those of an application.
const RESOURCES: usize = 5;
/// Builds take minutes together, and what replacements add to one is less than its noise:
/// repeated, they have the same result.
const BUILDS: usize = 3;
const REPEATED: usize = 100;
/// The function alone.
const RUNS: usize = 31;

/// A build without a function.
const KUSTOMIZE: &str = "kustomize";
const REPLACEMENTS: &str = "replacements";
const REPLACEMENTS_REPEATED: &str = "replacements, 100 times";
/// Builds with these functions.
const CAT: &str = "cat";
const LANDFALL: &str = "landfall";
/// The function on the list that kustomize passes to it, and without its field bindings.
const ALONE: &str = "landfall alone";
const UNBOUND: &str = "without field bindings";
/// What they add.
const BINDINGS: &str = "field bindings";

/// Each is expected to take at most so many percent of the other.
const LIMITS: &[(&str, f64, &str)] = &[
    (ALONE, 1.0, CAT),
    (ALONE, 100.0, REPLACEMENTS),
    (BINDINGS, 100.0, REPLACEMENTS),
];

/// The link that `landfall install` makes.
const FUNCTION: &str = "landfall-krm";
const BUILD: &str = "build --enable-alpha-plugins --enable-exec .";
/// What kustomize passes to a function.
const LIST: &str = "list.yaml";
const UNBOUND_LIST: &str = "unbound.yaml";
/// What kustomize builds.
const BUILT: &str = "built.yaml";

const BINDING: &str = "\
apiVersion: landfall.dev/v1alpha1
kind: Binding
metadata:
  name: infra
  annotations:
    config.kubernetes.io/function: |
      exec: {path: FUNCTION}
spec:
  outputs:
  - {name: infra, from: {file: OUTPUTS}}
  substitutions: SUBSTITUTIONS
";

/// What the values are written into.
struct Case {
    name: &'static str,
    /// The references of each application.
    references: fn(usize) -> usize,
    fields: &'static [Field],
    /// A text that the resources have before they get their values, and not after.
    before: &'static str,
}

/// A field of all resources of a kind, and the output that is its value.
struct Field {
    kind: &'static str,
    path: &'static str,
    output: &'static str,
}

#[rustfmt::skip]
const CASES: &[Case] = &[
    Case { name: "references", references: |_| RESOURCES, fields: &[], before: "${infra." },
    Case { name: "fields", references: |_| 0, fields: FIELDS, before: "role-arn: arn:aws:iam::412345678901:role/acme-billing" },
];

#[rustfmt::skip]
const FIELDS: &[Field] = &[
    Field { kind: "ServiceAccount", path: "metadata.annotations.[eks.amazonaws.com/role-arn]", output: "velero_role_arn" },
    Field { kind: "ConfigMap", path: "data.QUEUE_URL", output: "velero_queue_url" },
    Field { kind: "Deployment", path: "spec.template.spec.containers.[name=main].env.[name=DATABASE_HOST].value", output: "velero_endpoint" },
    Field { kind: "Service", path: "metadata.annotations.[service.beta.kubernetes.io/aws-load-balancer-security-groups]", output: "velero_security_group_id" },
    Field { kind: "Ingress", path: "metadata.annotations.[alb.ingress.kubernetes.io/security-groups]", output: "velero_security_group_id" },
];

/// Measures all cases.
///
/// # Errors
/// landfall or kustomize fails, or they give different answers. Without kustomize, nothing is
/// measured.
pub(super) fn section(bench: &Bench) -> Result<String> {
    let program = landfall_tools::named("kustomize").context("no tool `kustomize`")?;
    let kustomize = match tools::ensure(program) {
        Ok(kustomize) => kustomize,
        Err(error) => {
            eprintln!("skipped: kustomize: {error:#}");
            return Ok(String::new());
        }
    };
    let folder = bench.folder.join("krm");
    let mut section = String::new();
    for case in CASES.iter().filter(|case| bench.wants(case.name)) {
        let setup = Setup::new(case, APPLICATIONS, &folder, &kustomize, &bench.landfall)?;
        let (mut contenders, mut all) = (setup.builds()?, Vec::new());
        all.extend(race(&contenders, bench.rounds(BUILDS))?);
        let alone = setup.alone();
        all.extend(race(&alone, bench.rounds(RUNS))?);
        contenders.extend(alone);
        let table = table(&contenders, &all);
        section.push_str(&format!("{}\n\n{table}\n", setup.about));
    }
    Ok(section)
}

/// The kustomizations of a case.
struct Setup<'a> {
    case: &'a Case,
    about: String,
    inputs: Inputs,
    folder: PathBuf,
    kustomize: PathBuf,
    /// The folder of the command and its link.
    bin: PathBuf,
    /// Where functions are found.
    environment: Vec<(String, String)>,
}

impl<'a> Setup<'a> {
    /// Writes the texts, and builds them before and after they get their values.
    fn new(
        case: &'a Case,
        applications: usize,
        folder: &Path,
        kustomize: &Path,
        landfall: &Path,
    ) -> Result<Self> {
        let inputs = Inputs::new(folder)?;
        let (_, bytes) = inputs.make(case.name, applications, case.references)?;
        let references: usize = (0..applications).map(case.references).sum();
        let about = format!(
            "{}: {} resources, {} references, {} fields, {} bytes",
            case.name,
            grouped(applications * RESOURCES),
            grouped(references),
            grouped(applications * case.fields.len()),
            grouped(bytes)
        );
        let bin = folder.join("bin");
        let mut install = Command::new(landfall);
        run(install.arg("install").arg(&bin).stdout(Stdio::null()))?;
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(bin.clone()).chain(env::split_paths(&path));
        let path = env::join_paths(folders).context("a folder for PATH")?;
        let setup = Self {
            case,
            about,
            inputs,
            folder: folder.join(case.name),
            kustomize: kustomize.to_path_buf(),
            bin,
            environment: vec![("PATH".to_owned(), path.to_string_lossy().into_owned())],
        };
        let function = format!("tee, args: [{LIST}]");
        for (name, dialect, repeated) in [
            ("before", Dialect::Infra, 0),
            ("after", Dialect::Expected, 1),
        ] {
            let folder = setup.kustomization(name, dialect, repeated, Some(&function))?;
            let mut build = Command::new(kustomize);
            build.args(BUILD.split(' ')).current_dir(&folder);
            build.env_clear().envs(setup.environment.iter().cloned());
            run(build.stdout(File::create(folder.join(BUILT))?))?;
        }
        // They are the last in the list.
        let before = setup.folder.join("before");
        let mut sed = Command::new("sed");
        sed.arg("/^    substitutions:/,$d").arg(before.join(LIST));
        run(sed.stdout(File::create(before.join(UNBOUND_LIST))?))?;
        Ok(setup)
    }

    /// Writes a kustomization of a text, with so many repetitions of the replacements, and returns
    /// its folder.
    fn kustomization(
        &self,
        name: &str,
        dialect: Dialect,
        repeated: usize,
        function: Option<&str>,
    ) -> Result<PathBuf> {
        let folder = self.folder.join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
        let mut kustomization = "resources: [manifests.yaml]\n".to_owned();
        let replacements = self.assignments("sourceValue", Dialect::Expected)?;
        let replacements = replacements.repeat(repeated);
        kustomization.push_str(&format!("replacements: [{replacements}]\n"));
        if let Some(function) = function {
            kustomization.push_str("transformers: [landfall.yaml]\n");
            let substitutions = self.assignments("value", Dialect::Infra)?;
            let binding = BINDING
                .replace("FUNCTION", function)
                .replace("OUTPUTS", OUTPUTS)
                .replace("SUBSTITUTIONS", &format!("[{substitutions}]"));
            fs::write(folder.join("landfall.yaml"), binding)?;
        }
        fs::write(folder.join("kustomization.yaml"), kustomization)?;
        let text = dialect.file(self.case.name);
        for (file, copy) in [(text.as_str(), "manifests.yaml"), (OUTPUTS, OUTPUTS)] {
            let copied = fs::copy(self.inputs.folder.join(file), folder.join(copy));
            copied.with_context(|| format!("copying {file}"))?;
        }
        Ok(folder)
    }

    /// Returns the items of the fields with their values, which field bindings and replacements
    /// write in the same way, except for the key of the value.
    fn assignments(&self, key: &str, dialect: Dialect) -> Result<String> {
        let mut assignments = String::new();
        for Field { kind, path, output } in self.case.fields {
            let mut outputs = self.inputs.outputs.iter();
            let found = outputs.find(|found| found.name == *output);
            let value = dialect.reference(found.with_context(|| format!("no output {output}"))?);
            assignments.push_str(&format!(
                "{{{key}: \"{value}\", targets: [{{select: {{kind: {kind}}}, fieldPaths: [\"{path}\"]}}]}}, "
            ));
        }
        Ok(assignments)
    }

    fn builds(&self) -> Result<Vec<Contender>> {
        let mut builds = vec![self.build(KUSTOMIZE, 0, None)?];
        if !self.case.fields.is_empty() {
            builds.push(self.build(REPLACEMENTS, 1, None)?);
            builds.push(self.build(REPLACEMENTS_REPEATED, REPEATED, None)?);
        }
        builds.push(self.build(CAT, 0, Some(CAT))?);
        builds.push(self.build(LANDFALL, 0, Some(FUNCTION))?);
        Ok(builds)
    }

    /// Returns a build of the text without its values.
    fn build(&self, name: &str, repeated: usize, function: Option<&str>) -> Result<Contender> {
        Ok(Contender {
            program: self.kustomize.clone(),
            line: BUILD.to_owned(),
            folder: self.kustomization(name, Dialect::Infra, repeated, function)?,
            ..self.contender(name, BUILT)
        })
    }

    /// Returns the function by itself, which also has to copy a list without field bindings.
    fn alone(&self) -> Vec<Contender> {
        let alone = |name: &str, list: &str| Contender {
            program: self.bin.join(FUNCTION),
            line: format!("< {list}"),
            folder: self.folder.join("before"),
            ..self.contender(name, list)
        };
        let mut contenders = vec![alone(ALONE, LIST)];
        if !self.case.fields.is_empty() {
            contenders.push(alone(UNBOUND, UNBOUND_LIST));
        }
        contenders
    }

    /// Returns a contender that has to write a file of the kustomization before or after.
    fn contender(&self, name: &str, file: &str) -> Contender {
        let before = self.case.before.to_owned();
        let mut contender = Contender {
            name: name.to_owned(),
            environment: self.environment.clone(),
            ..Contender::default()
        };
        if [KUSTOMIZE, CAT, UNBOUND].contains(&name) {
            contender.same = Some(format!("../before/{file}"));
            contender.shows = before;
        } else {
            contender.same = Some(format!("../after/{file}"));
            contender.lacks = Some(before);
        }
        contender
    }
}

/// Returns the table of a case.
fn table(contenders: &[Contender], all: &[Series]) -> Table {
    let find = |name: &str| {
        let at = contenders.iter().position(|it| it.name == name)?;
        all.get(at)
    };
    let added = |name: &str| {
        let (more, less, times) = match name {
            REPLACEMENTS | CAT => (name, KUSTOMIZE, 1),
            REPLACEMENTS_REPEATED => (name, KUSTOMIZE, REPEATED),
            LANDFALL => (name, CAT, 1),
            BINDINGS => (ALONE, UNBOUND, 1),
            _ => return None,
        };
        Some(find(more)?.added(find(less)?) / times as f64)
    };
    // Replacements have no process of their own: what they add to one is compared.
    let percent = |name: &str, base: &str| {
        let median = |name: &str| Some(find(name)?.median());
        let (part, whole) = match (name, base) {
            (_, CAT) => (median(name)?, median(CAT)?),
            (KUSTOMIZE | CAT, _) => return None,
            (ALONE | UNBOUND, _) => (median(name)?, added(REPLACEMENTS_REPEATED)?),
            _ => (added(name)?, added(REPLACEMENTS_REPEATED)?),
        };
        // Nothing is a part of what is lost in the noise.
        (whole > 0.0).then_some(100.0 * part / whole)
    };
    let mut table = Table::new(
        "how | median ms | least ms | added ms | peak MB | runs | % of cat | % of replacements | expected",
    );
    let names = contenders.iter().map(|contender| contender.name.as_str());
    for name in names.chain(find(UNBOUND).map(|_| BINDINGS)) {
        let measured = |cell: fn(&Series) -> String| find(name).map(cell).unwrap_or_default();
        let percent_cell = |base| {
            let percent = percent(name, base);
            percent.map_or_else(String::new, |percent| format!("{percent:.2}"))
        };
        let mut expected = Vec::new();
        for (limited, most, base) in LIMITS {
            if let (true, Some(percent)) = (*limited == name, percent(name, base)) {
                expected.push(format!("≤ {most} % of {base} {}", mark(percent <= *most)));
            }
        }
        table.row(vec![
            name.to_owned(),
            measured(|series| millis(series.median())),
            measured(|series| millis(series.least())),
            added(name).map_or_else(String::new, millis),
            measured(|series| megabytes(series.peak)),
            measured(|series| series.runs().to_string()),
            percent_cell(CAT),
            percent_cell(REPLACEMENTS),
            expected.join(", "),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use landfall_test_support::needs;

    use super::*;
    use crate::dist;
    use crate::workspace::Workspace;

    #[needs(dist, tools)]
    #[test]
    fn landfall_and_kustomize_write_the_same_values() {
        let workspace = Workspace::current().unwrap();
        let program = landfall_tools::named("kustomize").unwrap();
        let kustomize = tools::ensure(program).unwrap();
        let folder = workspace.target.join("bench/krm-test");
        for case in CASES {
            // As many as there are services: each output is in one of them.
            let landfall = workspace.dist.join(dist::COMMAND);
            let setup = Setup::new(case, 10, &folder, &kustomize, &landfall).unwrap();
            race(&setup.builds().unwrap(), 1).unwrap();
            race(&setup.alone(), 1).unwrap();
        }
    }
}
