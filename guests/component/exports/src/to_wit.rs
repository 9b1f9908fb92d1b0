//! Converts the core's records to those of the WIT world, by move.

use landfall as core;

use crate::bindings::exports::landfall::config_management::{
    adoption, application_sets, exports, krm_function::Processed, migration, outputs, parts,
    rendering, resource_outputs, types as wit,
};

/// Converts an offset or position, which is `u32` in the world. In the guest, `usize` is 32
/// bits wide, so nothing is ever truncated; a native build of this crate saturates.
pub(crate) fn offset(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

pub(crate) fn plan(plan: core::Plan) -> rendering::Plan {
    let core::Plan {
        names,
        documents,
        schemas,
        tool,
        chart,
        manifests,
        announcements,
        needs_resources,
        diagnostics,
        parameter_errors,
    } = plan;
    rendering::Plan {
        names,
        documents: documents.into_iter().map(need).collect(),
        schemas: schemas
            .into_iter()
            .map(|(path, span)| named_file(path, span))
            .collect(),
        tool: tool.map(self::tool),
        chart: chart_options(chart),
        manifests: manifests.into_iter().map(offset).collect(),
        announcements: announcements.into_iter().map(announcement).collect(),
        needs_resources,
        findings: findings(diagnostics),
        parameter_findings: findings(parameter_errors),
    }
}

pub(crate) fn expanded(expanded: core::Expanded) -> application_sets::Expanded {
    let core::Expanded {
        applications,
        diagnostics,
    } = expanded;
    let applications = applications.into_iter();
    let application = |application: core::ExpandedApplication| application_sets::Application {
        name: application.name,
        namespace: application.namespace,
        set: application.set,
        content: application.content,
    };
    application_sets::Expanded {
        applications: applications.map(application).collect(),
        findings: findings(diagnostics),
    }
}

const fn tool(tool: core::Tool) -> rendering::Tool {
    match tool {
        core::Tool::None => rendering::Tool::None,
        core::Tool::Kustomize => rendering::Tool::Kustomize,
        core::Tool::Helm => rendering::Tool::Helm,
    }
}

pub(crate) fn need(need: core::Need) -> rendering::Need {
    let core::Need {
        name,
        location,
        path,
        format,
        published_by,
        optional,
        may_be_absent,
        declares_sensitive,
        span,
    } = need;
    rendering::Need {
        name,
        location: match location {
            core::Location::Root => rendering::Location::Root,
            core::Location::Mounted => rendering::Location::Mounted,
            core::Location::Held(content) => rendering::Location::Held(content),
            core::Location::Resource => rendering::Location::Resource,
        },
        path,
        format,
        published_by,
        optional,
        may_be_absent,
        declares_sensitive,
        start: offset(span.start),
        end: offset(span.end),
    }
}

pub(crate) fn resource_document(
    document: core::ResourceDocument,
) -> resource_outputs::ResourceDocument {
    let core::ResourceDocument {
        need,
        file,
        span,
        is_local,
    } = document;
    resource_outputs::ResourceDocument {
        need: self::need(need),
        resource: self::span(core::Origin::Manifest(file), span),
        is_local,
    }
}

fn announcement(announcement: core::Announcement) -> rendering::Announcement {
    let core::Announcement {
        name,
        title,
        tooltip,
        required,
        value_kind,
        current,
    } = announcement;
    rendering::Announcement {
        name,
        title,
        tooltip,
        required,
        value_kind: match value_kind {
            core::ValueKind::Text => rendering::ValueKind::Text,
            core::ValueKind::Number => rendering::ValueKind::Number,
            core::ValueKind::Boolean => rendering::ValueKind::Boolean,
            core::ValueKind::Items => rendering::ValueKind::Items,
            core::ValueKind::Entries => rendering::ValueKind::Entries,
        },
        current: current.map(|value| match value {
            core::ParameterValue::Text(text) => wit::ParameterValue::Text(text),
            core::ParameterValue::Items(items) => wit::ParameterValue::Items(items),
            core::ParameterValue::Entries(entries) => wit::ParameterValue::Entries(entries),
        }),
    }
}

pub(crate) fn answer(answer: core::Answer) -> rendering::Answer {
    let core::Answer {
        sources,
        diagnostics,
        substitutions,
    } = answer;
    rendering::Answer {
        sources: sources.into_iter().map(content).collect(),
        findings: findings(diagnostics),
        // Serialising fails only for maps with keys that are not strings, and the report
        // contains no maps.
        substitutions: substitutions.and_then(|report| serde_json::to_vec(&report).ok()),
    }
}

pub(crate) fn rendered_part(part: core::RenderedPart) -> parts::RenderedPart {
    let core::RenderedPart {
        sources,
        diagnostics,
        unused,
    } = part;
    parts::RenderedPart {
        sources: sources.into_iter().map(content).collect(),
        findings: findings(diagnostics),
        unused: unused.into_iter().map(offset).collect(),
    }
}

pub(crate) fn processed(processed: core::Processed) -> Processed {
    let core::Processed {
        edits: made,
        failed,
        diagnostics,
    } = processed;
    Processed {
        edits: edits(made),
        failed,
        findings: findings(diagnostics),
    }
}

pub(crate) fn proposal(proposal: core::Adoption) -> adoption::Proposal {
    let core::Adoption { edits, values } = proposal;
    adoption::Proposal {
        edits: edits.into_iter().map(self::edits).collect(),
        values: values.into_iter().map(hard_coded_value).collect(),
    }
}

pub(crate) fn migrated(migration: core::Migration) -> migration::Migrated {
    let core::Migration {
        changes,
        binding,
        left,
    } = migration;
    let change = |core::MigrationEdit { edit, conceal }| migration::Change {
        edit: self::edit(edit),
        conceal,
    };
    let changes = changes.into_iter();
    migration::Migrated {
        changes: changes
            .map(|changes| changes.into_iter().map(change).collect())
            .collect(),
        binding: edits(binding),
        left: findings(left),
    }
}

fn hard_coded_value(value: core::HardCodedValue) -> adoption::HardCodedValue {
    let core::HardCodedValue {
        file,
        span,
        outputs,
        outcome,
        conceal,
    } = value;
    adoption::HardCodedValue {
        file: offset(file),
        start: offset(span.start),
        end: offset(span.end),
        outputs,
        outcome: match outcome {
            core::AdoptionOutcome::Adopted => adoption::Outcome::Adopted,
            core::AdoptionOutcome::Ambiguous => adoption::Outcome::Ambiguous,
            core::AdoptionOutcome::Sensitive => adoption::Outcome::Sensitive,
            core::AdoptionOutcome::NotAdoptable => adoption::Outcome::NotAdoptable,
            core::AdoptionOutcome::Unquoted => adoption::Outcome::Unquoted,
            core::AdoptionOutcome::OtherTool => adoption::Outcome::OtherTool,
        },
        conceal,
    }
}

fn chart_options(options: core::ChartOptions) -> rendering::ChartOptions {
    let core::ChartOptions {
        release_name,
        namespace,
        value_files,
        kube_version,
        api_versions,
        skip_crds,
        skip_tests,
    } = options;
    rendering::ChartOptions {
        release_name,
        namespace,
        value_files: value_files
            .into_iter()
            .map(|(path, span)| named_file(path, span))
            .collect(),
        kube_version,
        api_versions,
        skip_crds,
        skip_tests,
    }
}

fn named_file(path: String, span: core::Span) -> rendering::NamedFile {
    rendering::NamedFile {
        path,
        start: offset(span.start),
        end: offset(span.end),
    }
}

pub(crate) fn outputs_document(document: core::OutputsDocument) -> wit::OutputsDocument {
    let core::OutputsDocument {
        name,
        path,
        content,
        format,
        sensitive,
        declared_at,
    } = document;
    wit::OutputsDocument {
        name,
        path,
        content,
        format,
        sensitive,
        declared_at: declared_at.map(offset),
    }
}

pub(crate) fn read_outputs(summary: core::OutputsSummary) -> outputs::ReadOutputs {
    let core::OutputsSummary {
        formats,
        outputs: read,
        diagnostics,
    } = summary;
    outputs::ReadOutputs {
        formats: formats.into_iter().map(document_format).collect(),
        outputs: read.into_iter().map(read_output).collect(),
        findings: findings(diagnostics),
    }
}

fn document_format(format: core::DocumentFormat) -> outputs::DocumentFormat {
    let core::DocumentFormat {
        id,
        possible,
        marks_sensitive,
    } = format;
    outputs::DocumentFormat {
        id: id.map(str::to_owned),
        possible: possible.into_iter().map(str::to_owned).collect(),
        marks_sensitive,
    }
}

fn read_output(read: core::OutputSummary) -> outputs::ReadOutput {
    let core::OutputSummary {
        name,
        output,
        sensitive,
    } = read;
    outputs::ReadOutput {
        name,
        output,
        sensitive: sensitive.map(|by| match by {
            core::Sensitivity::Document => outputs::Sensitivity::Document,
            core::Sensitivity::Host => outputs::Sensitivity::Host,
            core::Sensitivity::Binding => outputs::Sensitivity::Binding,
        }),
    }
}

pub(crate) fn exported(exported: core::Exported) -> exports::Exported {
    let core::Exported {
        content,
        diagnostics,
    } = exported;
    exports::Exported {
        content,
        findings: findings(diagnostics),
    }
}

fn content(content: core::Content) -> rendering::Content {
    match content {
        core::Content::Unchanged => rendering::Content::Unchanged,
        core::Content::Edited(made) => rendering::Content::Edited(edits(made)),
    }
}

/// Converts edits to one text and one list, of exactly the sizes that they need: the canonical
/// ABI would shrink others.
pub(crate) fn edits(edits: Vec<core::Edit>) -> wit::EditList {
    let length = edits.iter().map(|edit| edit.text.len()).sum();
    let mut list = wit::EditList {
        text: Vec::with_capacity(length),
        offsets: Vec::with_capacity(3 * edits.len()),
    };
    for core::Edit { span, text } in edits {
        list.text.extend_from_slice(&text);
        let offsets = [span.start, span.end, list.text.len()];
        list.offsets.extend(offsets.map(offset));
    }
    list
}

fn edit(edit: core::Edit) -> wit::Edit {
    let core::Edit { span, text } = edit;
    wit::Edit {
        start: offset(span.start),
        end: offset(span.end),
        text,
    }
}

pub(crate) fn findings(found: core::Diagnostics) -> wit::Findings {
    wit::Findings {
        omitted: counts(found.omitted()),
        has_unbound_names: found.has_unbound_names(),
        readable_secrets: found
            .readable_secrets()
            .iter()
            .map(|&nth| offset(nth))
            .collect(),
        diagnostics: diagnostics(found),
    }
}

fn counts(counts: core::Counts) -> wit::Counts {
    let core::Counts {
        errors,
        warnings,
        notes,
    } = counts;
    wit::Counts {
        errors,
        warnings,
        notes,
    }
}

// One copy for all exports.
#[inline(never)]
pub(crate) fn diagnostics(
    diagnostics: impl IntoIterator<Item = core::Diagnostic>,
) -> Vec<wit::Diagnostic> {
    diagnostics.into_iter().map(diagnostic).collect()
}

const fn topic(topic: core::Topic) -> wit::Topic {
    match topic {
        core::Topic::NothingBound => wit::Topic::NothingBound,
        core::Topic::UnboundName => wit::Topic::UnboundName,
        core::Topic::NearMiss => wit::Topic::NearMiss,
        core::Topic::LeftReference => wit::Topic::LeftReference,
        core::Topic::NoResources => wit::Topic::NoResources,
        core::Topic::UnmatchedPattern => wit::Topic::UnmatchedPattern,
        core::Topic::UnusedOutput => wit::Topic::UnusedOutput,
        core::Topic::UnreadableOutput => wit::Topic::UnreadableOutput,
        core::Topic::ContractViolation => wit::Topic::ContractViolation,
        core::Topic::OutputsAsManifest => wit::Topic::OutputsAsManifest,
        core::Topic::OtherTool => wit::Topic::OtherTool,
    }
}

fn diagnostic(diagnostic: core::Diagnostic) -> wit::Diagnostic {
    let core::Diagnostic {
        rule,
        severity,
        message,
        labels,
        help,
        fixes,
        resource,
        field,
    } = diagnostic;
    wit::Diagnostic {
        rule: rule.id().to_owned(),
        topic: rule.topic().map(topic),
        severity: match severity {
            core::Severity::Note => wit::Severity::Note,
            core::Severity::Warning => wit::Severity::Warning,
            core::Severity::Error => wit::Severity::Error,
        },
        message,
        labels: labels.into_iter().map(label).collect(),
        help,
        fixes: fixes.into_iter().map(fix).collect(),
        resource: resource.map(
            |core::ResourceRef {
                 api_version,
                 kind,
                 name,
                 namespace,
             }| wit::ResourceRef {
                api_version,
                kind,
                name,
                namespace,
            },
        ),
        field,
    }
}

fn label(label: core::Label) -> wit::Label {
    let core::Label {
        origin: document,
        span,
        message,
        conceal,
    } = label;
    wit::Label {
        span: self::span(document, span),
        message,
        conceal,
    }
}

pub(crate) fn span(document: core::Origin, span: core::Span) -> wit::Span {
    wit::Span {
        origin: origin(document),
        start: offset(span.start),
        end: offset(span.end),
    }
}

fn fix(fix: core::Fix) -> wit::Fix {
    let core::Fix {
        title,
        target,
        edits,
    } = fix;
    wit::Fix {
        title,
        target: origin(target),
        edits: edits.into_iter().map(edit).collect(),
    }
}

fn origin(origin: core::Origin) -> wit::Origin {
    match origin {
        core::Origin::Manifest(position) => wit::Origin::Manifest(offset(position)),
        core::Origin::Outputs(position) => wit::Origin::Outputs(offset(position)),
        core::Origin::Binding => wit::Origin::Binding,
        core::Origin::OperatorPolicy => wit::Origin::OperatorPolicy,
        core::Origin::Policy => wit::Origin::Policy,
        core::Origin::Parameters => wit::Origin::Parameters,
        core::Origin::Contract => wit::Origin::Manifest(0),
    }
}
