//! `landfall helm values`: writes a values file for Helm, as the getter in `deploy/helm` calls it.
//!
//! Whoever names values files chooses the URL: under Argo CD, the author of an Application. So
//! nothing outside of the root is read, no outputs document is written as it is, and a sensitive
//! output is an error.

use std::path::{Path, PathBuf};

use landfall_sandbox::types::Detail;

use crate::application::{Groups, LoadedGroup, known_names, new_names};
use crate::discovery::{Group, RootChoice, Search, own_binding};
use crate::engine::{Engine, Halted};
use crate::exit::Exit;
use crate::files::{Budget, FileError, Kind, RootKind};
use crate::loading::{FlagInputs, Job, NotMounted};
use crate::paths;
use crate::problem::{HostRule, Problem};
use crate::rendered::{Application, Rendered};
use crate::reporter::Failed;
use crate::settings::{Destination, HelmValues, InputPath, OperatorPath, Policies, Release};

use super::cmp::read_policy;
use super::render::write_stream;
use super::session::Session;
use super::write::NOTHING_RENDERED;

const SCHEME: &str = "landfall://";

pub(super) fn values(mut session: Session, values: &HelmValues) -> Exit {
    match render(&mut session, values) {
        Err(failed) => session.end(&failed, NOTHING_RENDERED),
        Ok(rendered) => write_stream(session, &[rendered]),
    }
}

/// A values file with the Binding that applies to it.
struct ValuesFile {
    path: PathBuf,
    binding: InputPath,
    root: RootChoice,
}

fn render(session: &mut Session, values: &HelmValues) -> Result<Rendered, Failed> {
    let HelmValues {
        url,
        operator_policy,
    } = values;
    let mut problems = Vec::new();
    let policy = operator_policy.as_ref();
    let policy = policy.and_then(|file| read_policy(file, session.limits.input, &mut problems));
    let ValuesFile {
        path,
        binding,
        root,
    } = find(url, &mut Budget::new(session.limits.input))
        .map_err(|problem| session.reporter.refuse(problem))?;
    if let Some(problem) = operator_policy
        .as_ref()
        .and_then(|file| not_of_the_operator(file, &root))
    {
        return Err(session.reporter.refuse(problem).into());
    }
    let policies = Policies::default();
    let job = Job {
        groups: vec![Group::Files(vec![InputPath::Path(path)])],
        outside: Vec::new(),
        bound_files: &[],
        declared: &[],
        config: Some(&binding),
        ignores_bindings: false,
        repository: None,
        root,
        ceiling: session.ceiling(policy),
        operator_policy_file: operator_policy.as_ref().map(|file| file.path.as_path()),
        policies: &policies,
        parameters: Vec::new(),
        mounted: Err(NotMounted::Getter),
        digest: None,
        stdin_name: "",
        detail: Detail::Diagnostics,
        limits: session.limits,
        programs: None,
        is_about_sources: false,
        release: Release::default(),
        hints: &[],
        destination: Destination::Stdout,
        jobs: None,
        fleet: None,
    };
    let engine = Engine::embedded(session.limits)?;
    let mut budget = Budget::new(session.limits.input);
    let flag_inputs = FlagInputs::of_job(&job, &mut budget, &mut problems);
    let reporter = &mut session.reporter;
    let mut groups = Groups::new(&job, &engine, flag_inputs, budget, problems, reporter);
    let _watch = engine.watch();
    let loaded = groups.next(reporter)?;
    reporter.check()?;
    let LoadedGroup {
        group,
        mut application,
        mut plugin,
        ..
    } = loaded.ok_or(Halted::BrokenAnswer)?;
    if let Some(problem) = input_as_values(&application) {
        return Err(reporter.refuse(problem).into());
    }
    let mut outcome = plugin.generate_values(application.files(), &application.request)?;
    let names = new_names(&outcome, &application, &application.request, || {
        known_names(&job, group, &mut plugin)
    })?;
    if !names.is_empty() {
        application.request.inputs.known_names.extend(names);
        outcome = plugin.generate_values(application.files(), &application.request)?;
    }
    let documents = application.documents();
    match outcome {
        Ok(answer) => {
            reporter.add_findings(&documents, &answer.findings);
            reporter.check()?;
            Ok(Rendered::new(application, answer)?)
        }
        Err(found) => Err(reporter.fail(&documents, found)?.into()),
    }
}

/// Finds the file of a URL, and the Binding at or above it.
fn find(url: &str, budget: &mut Budget) -> Result<ValuesFile, Problem> {
    let path = path_of(url)?;
    let unreadable = |error: FileError| {
        let problem = Problem::unreadable(&format!("the values file `{path}`"), &error);
        match error {
            FileError::Missing => problem.help(
                "correct the path: it is relative to the folder in which Helm runs, as in `landfall://values-prod.yaml`",
            ),
            FileError::OutsideRoot => problem.help(
                "move it into the Git work tree of the folder in which Helm runs; without one, into that folder",
            ),
            _ => problem,
        }
    };
    let current = Path::new(".");
    let root = RootChoice::ManualPlugin.open(current).map_err(unreadable)?;
    let folder = root.relative(current).map_err(unreadable)?;
    let real = root.inside(&folder.join(path)).map_err(unreadable)?;
    if root.is_folder(&real).map_err(unreadable)? {
        return Err(unreadable(FileError::IsFolder));
    }
    let in_work_tree = root.kind() == RootKind::ManualPlugin { in_work_tree: true };
    let path = if path.contains("..") {
        // It may follow a link.
        PathBuf::from(paths::relative_to(&folder, &paths::for_module(&real)))
    } else {
        PathBuf::from(path)
    };
    let search = Search {
        has_named_binding: false,
        root: &RootChoice::ManualPlugin,
        outputs: &[],
        stdin_name: "",
        bound: &[],
    };
    let binding = match search.application_of(&path, Kind::File) {
        Some(application) => {
            let folder = root.relative(&application.path).map_err(unreadable)?;
            own_binding(&root, &folder, &application.display_path, budget)?
        }
        None => None,
    };
    let Some(binding) = binding else {
        let shown = paths::display(&path);
        let message = format!(
            "no Binding applies to the values file `{shown}`: there is no `landfall.yaml` next to it, or above it in the same repository"
        );
        return Err(Problem::new(HostRule::InvalidValues, message).help(
            "create one in the folder of the chart; a chart from another repository has none, so pass it values from yours",
        ));
    };
    Ok(ValuesFile {
        path,
        binding: InputPath::Path(binding.path.into()),
        root: if in_work_tree {
            RootChoice::ManualPlugin
        } else {
            RootChoice::Folder(current.to_owned())
        },
    })
}

/// Returns the error for a policy that the authors of the repository could write.
fn not_of_the_operator(file: &OperatorPath, root: &RootChoice) -> Option<Problem> {
    let is_inside = || {
        let root = root.open(Path::new("."));
        root.is_ok_and(|root| root.relative(&file.path).is_ok())
    };
    if file.path.is_absolute() && !is_inside() {
        return None;
    }
    let message = format!(
        "{} names `{}`, which authors of the repository could write",
        file.named_by,
        paths::display(&file.path)
    );
    Some(
        Problem::new(HostRule::InvalidValues, message)
            .help("move it out of the repository, and name it by an absolute path"),
    )
}

/// Returns the path in a URL.
fn path_of(url: &str) -> Result<&str, Problem> {
    let scheme = url.get(..SCHEME.len());
    let path = match scheme {
        Some(scheme) if scheme.eq_ignore_ascii_case(SCHEME) => &url[SCHEME.len()..],
        _ => "",
    };
    let why = if path.is_empty() {
        "does not name a values file"
    } else if path.contains(['?', '#']) {
        "has a query or a fragment"
    } else if path.starts_with(['/', '\\']) {
        "has an absolute path"
    } else {
        return Ok(path);
    };
    let message = format!("`{url}` {why}");
    Err(Problem::new(HostRule::InvalidValues, message)
        .help("write `landfall://` and the path of the file, relative to the folder in which Helm runs: `landfall://values-prod.yaml`"))
}

/// Returns the error for a file that is the Binding or an outputs document: Helm would read all of
/// it.
fn input_as_values(application: &Application) -> Option<Problem> {
    let (source, file) = application.each().next()?;
    let inputs = &application.request.inputs.documents;
    let binding = &application.request.configuration.binding;
    let role = if inputs.iter().any(|input| input.content == file.content) {
        "a bound outputs document"
    } else if binding
        .as_ref()
        .is_some_and(|it| it.content == file.content)
    {
        "a Binding"
    } else {
        return None;
    };
    let message = format!("the values file `{}` is {role}", source.display_path);
    let help = "reference its outputs in another values file";
    Some(Problem::new(HostRule::InvalidValues, message).help(help))
}
