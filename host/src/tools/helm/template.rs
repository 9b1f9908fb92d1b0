//! Templates the rendered charts, and checks the manifests.

use landfall_sandbox::types::{Content, Diagnostic, File, Inputs, Severity, Topic};

use crate::discovery::Group;
use crate::draw::{Document, Documents};
use crate::engine::{Answer, Engine, Halted, Plugin, Request, configuration};
use crate::loading::Job;
use crate::problem::Problem;
use crate::rendered::{Application, Rendered, Source};
use crate::reporter::Reporter;
use crate::settings::{Release, Tool};
use crate::splice::{BrokenEdits, Spliced};

use super::super::runner::{self, Runner};
use super::Chart;

/// The folder of the chart's copy in a workspace, and that of the values that are named.
const COPY: &str = "chart";
const NAMED: &str = "values";

/// A chart whose values are rendered.
pub(crate) struct Templated<'g> {
    /// The position of its application among the rendered ones.
    pub(crate) position: usize,
    pub(crate) group: &'g Group,
    pub(crate) chart: Box<Chart>,
    /// The number of outputs documents that its Binding binds.
    pub(crate) binding_outputs: usize,
}

/// Reports what is wrong with the manifests of a chart, the last file: that there are none,
/// documents that are no resources, and values that the API server rejects in their fields.
pub(crate) fn check_built(
    chart: &Chart,
    application: &Application,
    answer: &Answer,
    engine: &Engine,
    reporter: &mut Reporter,
) -> Result<(), Halted> {
    let (Some(file), Some(last)) = (
        application.files().last(),
        application.edited(&answer.sources).last(),
    ) else {
        return Ok(());
    };
    let spliced = last.edited().map_err(|_| Halted::BrokenAnswer)?;
    let content = spliced.slices().flatten().copied().collect();
    let built = File {
        path: file.path.clone(),
        content,
    };
    let watch = engine.watch();
    let mut plugin = engine.start()?;
    let files = std::slice::from_ref(&built);
    let mut found = plugin.check_built(files, &[], &application.request)?;
    runner::name_empty(Tool::Helm, &chart.display_path, &mut found.diagnostics);
    found
        .diagnostics
        .extend(not_resources(&mut plugin, files, &application.request)?);
    drop(watch);
    let documents = Documents {
        manifests: vec![Document {
            path: &last.source.display_path,
            content: &built.content,
        }],
        ..application.documents()
    };
    reporter.add(&documents, &found.diagnostics);
    reporter.omit(found.omitted);
    Ok(())
}

/// Returns an error for each document of these manifests that is no resource.
fn not_resources(
    plugin: &mut Plugin,
    files: &[File],
    request: &Request,
) -> Result<Vec<Diagnostic>, Halted> {
    let ceiling = request.configuration.ceiling.clone();
    let request = Request {
        configuration: configuration(None, ceiling),
        parameters: Vec::new(),
        inputs: Inputs {
            documents: Vec::new(),
            known_names: Vec::new(),
            resources_only: true,
            // They are rendered: what is left was escaped.
            keep_references: true,
            ..request.inputs.clone()
        },
    };
    let sources = plugin.sources(files)?;
    let (Ok(Answer { findings, .. }) | Err(findings)) = plugin.generate(&sources, &request)?;
    let mut found = findings.diagnostics;
    found.retain(|found| {
        found.severity == Severity::Error && found.topic != Some(Topic::NoResources)
    });
    for found in &mut found {
        let help = "Helm applies resources alone: correct the template that writes this document";
        found.help = Some(help.to_owned());
    }
    Ok(found)
}

/// Returns what Helm writes for each chart; `None` if it fails, which is reported. The files
/// that Helm reads are removed before the module runs again, because its time limit ends
/// the process.
pub(crate) fn template_all(
    job: &Job<'_>,
    charts: &[Templated<'_>],
    rendered: &[Rendered],
    reporter: &mut Reporter,
) -> Result<Vec<Option<Vec<u8>>>, Halted> {
    let mut manifests = Vec::new();
    let Some(first) = charts.first() else {
        return Ok(manifests);
    };
    let mut add = |found: Problem| reporter.add(&Documents::default(), &[found.diagnostic()]);
    let private = first.chart.private_root.as_deref();
    let runner = match Runner::new(Tool::Helm, job.programs, private, job.limits) {
        Ok(runner) => runner,
        Err(found) => {
            add(found);
            return Ok(vec![None; charts.len()]);
        }
    };
    for (nth, templated) in charts.iter().enumerate() {
        let chart = &templated.chart;
        let Some(Rendered {
            application,
            answer,
        }) = rendered.get(templated.position)
        else {
            manifests.push(None);
            continue;
        };
        let values = rendered_values(chart, application, &answer.sources)?;
        let run = Run {
            runner: &runner,
            nth,
            release: &job.release,
            allows_nothing: job.policies.allows_no_resources,
        };
        match run.template(chart, &values, application.sources()) {
            Ok((content, warning)) => {
                warning.into_iter().for_each(&mut add);
                manifests.push(Some(content));
            }
            Err(found) => {
                add(found);
                manifests.push(None);
            }
        }
    }
    Ok(manifests)
}

/// Returns the values files with the edits of an answer.
fn rendered_values(
    chart: &Chart,
    application: &Application,
    contents: &[Content],
) -> Result<Vec<File>, Halted> {
    let sources = chart.sources(application.files());
    let files = std::iter::zip(sources, contents).map(|(file, content)| {
        let spliced = Spliced::new(&file.content, content);
        let spliced = spliced.map_err(|BrokenEdits| Halted::BrokenAnswer)?;
        Ok(File {
            path: file.path.clone(),
            content: spliced.to_vec(),
        })
    });
    files.collect()
}

/// A run of Helm.
struct Run<'r> {
    runner: &'r Runner,
    /// The number of the application, for which there is a folder in the workspace.
    nth: usize,
    release: &'r Release,
    /// Whether it may write nothing.
    allows_nothing: bool,
}

impl Run<'_> {
    /// Returns what Helm writes for a chart with these values, and its warnings.
    fn template(
        &self,
        chart: &Chart,
        values: &[File],
        sources: &[Source],
    ) -> Result<(Vec<u8>, Option<Problem>), Problem> {
        let base = self.nth.to_string();
        for file in &chart.others {
            let path = format!("{base}/{COPY}/{}", file.path);
            self.runner.write(&path, &file.content)?;
        }
        let mut named = Vec::new();
        for (nth, (place, file)) in std::iter::zip(&chart.values, values).enumerate() {
            if place.is_named {
                // A name of our own, because Helm splits paths at commas and takes some for
                // URLs.
                let path = format!("{NAMED}/{nth}.yaml");
                self.runner
                    .write(&format!("{base}/{path}"), &file.content)?;
                named.push((path, nth));
            }
        }
        for (path, content) in in_chart(chart, values) {
            self.runner
                .write(&format!("{base}/{COPY}/{path}"), content)?;
        }
        let arguments = self.arguments(chart, &named);
        let folder = &chart.display_path;
        let finished = self.runner.run(&base, folder, &arguments)?;
        let mut text = String::from_utf8_lossy(&finished.stderr).into_owned();
        for (path, nth) in &named {
            if let Some(source) = sources.get(*nth) {
                text = text.replace(&format!(" {path}"), &format!(" {}", source.display_path));
            }
        }
        let message = self.runner.message(&text);
        if finished.status.success() {
            let content = finished.stdout;
            self.runner.check(&content, folder, self.allows_nothing)?;
            let warning =
                (!message.is_empty()).then(|| runner::warned(Tool::Helm, folder, &message));
            return Ok((content, warning));
        }
        let found = runner::failed(Tool::Helm, folder, &message);
        let old = self.runner.version().filter(|version| is_old(version));
        Err(if let Some(version) = old {
            found.help(format!("this is Helm {version}, and landfall runs Helm 4: install it (https://helm.sh/docs/intro/install/), or name it with --helm"))
        } else if message.contains("missing in charts/") {
            found.help("landfall downloads nothing: run `helm dependency build`, and commit the folder charts/")
        } else {
            found
        })
    }

    /// Returns the arguments. None of them can be taken for another flag.
    fn arguments(&self, chart: &Chart, named: &[(String, usize)]) -> Vec<String> {
        let Chart {
            options, release, ..
        } = chart;
        let mut arguments = vec![
            "template".to_owned(),
            release.name.clone(),
            format!("./{COPY}"),
            format!("--namespace={}", release.namespace),
            // A schema can name files and addresses, which Helm would open.
            "--skip-schema-validation".to_owned(),
        ];
        arguments.extend(named.iter().map(|(path, _)| format!("--values={path}")));
        let version = options.kube_version.as_ref();
        let version = version.or(self.release.kube_version.as_ref());
        arguments.extend(version.map(|version| format!("--kube-version={version}")));
        let versions = self
            .release
            .api_versions
            .iter()
            .chain(&options.api_versions);
        arguments.extend(versions.map(|version| format!("--api-versions={version}")));
        if !options.skip_crds {
            // As Argo CD does.
            arguments.push("--include-crds".to_owned());
        }
        if options.skip_tests {
            arguments.push("--skip-tests".to_owned());
        }
        arguments
    }
}

/// Returns whether this is the version of an older Helm than 4.
fn is_old(version: &str) -> bool {
    ["v1.", "v2.", "v3."]
        .iter()
        .any(|major| version.starts_with(major))
}

/// Returns the values files that are in the chart, each once, with their paths in it.
fn in_chart<'c>(chart: &'c Chart, values: &'c [File]) -> Vec<(&'c str, &'c [u8])> {
    let mut files: Vec<(&str, &[u8])> = Vec::new();
    for (place, file) in std::iter::zip(&chart.values, values) {
        if let Some(path) = &place.in_chart
            && !files.iter().any(|(other, _)| other == path)
        {
            files.push((path, &file.content));
        }
    }
    files
}
