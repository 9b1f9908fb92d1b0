//! Renders the manifests of charts, after Helm has written them from rendered values.

use landfall_sandbox::types::{Counts, Diagnostic};

use crate::engine::{Engine, Halted};
use crate::loading::Job;
use crate::rendered::Rendered;
use crate::reporter::Reporter;
use crate::tools::{Templated, check_built, template_all};

use super::render::{Call, report};

/// Templates charts, and renders what Helm writes. If there are errors already, Helm is not
/// run, and the charts' warnings are reported.
///
/// # Errors
/// The module was stopped, or its answer is invalid.
pub(super) fn render_charts(
    job: &Job<'_>,
    charts: &[Templated<'_>],
    is_ready: bool,
    rendered: &mut [Rendered],
    engine: &Engine,
    reporter: &mut Reporter,
) -> Result<(), Halted> {
    let manifests = if is_ready {
        template_all(job, charts, rendered, reporter)?
    } else {
        vec![None; charts.len()]
    };
    for (templated, content) in std::iter::zip(charts, manifests) {
        let Some(Rendered {
            application,
            answer,
        }) = rendered.get_mut(templated.position)
        else {
            continue;
        };
        let (chart, bound) = (&templated.chart, templated.binding_outputs);
        let Some(content) = content else {
            // What is wrong with the values is reported, even if there are no manifests.
            report(job, application, answer, bound, reporter);
            continue;
        };
        chart.add_manifests(application, content);
        let watch = engine.watch();
        let mut plugin = engine.start()?;
        let sources = plugin.sources(application.files())?;
        let call = Call {
            job,
            group: templated.group,
            built_by: None,
            contracts: &[],
        };
        let outcome = call.generate(&mut plugin, &sources, application)?;
        drop(watch);
        match outcome {
            Ok(mut rendered) => {
                // What only the values could show.
                let is_new = |one: &Diagnostic| {
                    let mut others = rendered.findings.diagnostics.iter();
                    others.all(|other| (&other.rule, &other.message) != (&one.rule, &one.message))
                };
                answer.findings.diagnostics.retain(is_new);
                // They are counted for the manifests.
                answer.findings.omitted = Counts::default();
                report(job, application, answer, bound, reporter);
                report(job, application, &mut rendered, bound, reporter);
                rendered.check(application.files())?;
                *answer = rendered;
                check_built(chart, application, answer, engine, reporter)?;
            }
            Err(found) => {
                reporter.fail(&application.documents(), found)?;
            }
        }
        // Only the manifests are written.
        if let Some((_, others)) = application.sources_mut().split_last_mut() {
            others.iter_mut().for_each(|source| source.target = None);
        }
    }
    Ok(())
}
