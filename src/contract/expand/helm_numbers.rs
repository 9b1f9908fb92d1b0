//! Numbers in the values of an Application's chart that Helm writes in another way.

use crate::contract::expand::document::Node;
use crate::contract::expand::problems::Problems;
use crate::kubernetes::consumers::numbers::HelmNumber;
use crate::outputs::Value;

/// Reports the first such number in the values of each source.
pub(super) fn report(template: &Node, application: &Value, problems: &mut Problems<'_>) {
    let Some(spec) = application.entry("spec") else {
        return;
    };
    let templates = template
        .at(&["spec", "sources"])
        .map_or(&[][..], Node::items);
    if let Some(source) = spec.entry("source") {
        let template = template.at(&["spec", "source"]).unwrap_or(template);
        report_source("spec.source", template, source, problems);
    }
    let Some(Value::List(sources)) = spec.entry("sources") else {
        return;
    };
    for (nth, source) in sources.iter().enumerate() {
        let template = templates.get(nth).unwrap_or(template);
        report_source(&format!("spec.sources[{nth}]"), template, source, problems);
    }
}

fn report_source(path: &str, template: &Node, source: &Value, problems: &mut Problems<'_>) {
    let Some(helm) = source.entry("helm") else {
        return;
    };
    for name in ["values", "valuesObject"] {
        let number = match helm.entry(name) {
            Some(Value::String(text)) => HelmNumber::in_text(text),
            Some(value) => HelmNumber::of(value),
            None => None,
        };
        let Some(number) = number else {
            continue;
        };
        let node = template.at(&["helm", name]).unwrap_or(template);
        let found = number.diagnostic(&format_args!("{path}.helm.{name}"));
        let document = problems.document;
        let found = found.at(document.origin, document.span(node.id), "");
        problems.push(node.id, 0, found);
    }
}
