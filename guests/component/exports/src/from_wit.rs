//! Converts records of the WIT world to the core's, by move: contents and texts are never
//! copied.

use landfall as core;

use crate::bindings::exports::landfall::config_management::{rendering, stand_ins, types as wit};

pub(crate) fn paths(paths: &[String]) -> Vec<&str> {
    paths.iter().map(String::as_str).collect()
}

/// Converts a position. In the guest, `usize` is 32 bits wide.
pub(crate) fn position(position: u32) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}

fn file(file: wit::File) -> core::File {
    let wit::File { path, content } = file;
    core::File { path, content }
}

// One copy for all exports, as of the other lists.
#[inline(never)]
pub(crate) fn files(files: Vec<wit::File>) -> Vec<core::File> {
    files.into_iter().map(file).collect()
}

pub(crate) fn sources(files: Vec<wit::File>) -> core::Sources {
    core::Sources::new(self::files(files))
}

pub(crate) const fn stand_in(stand_in: stand_ins::StandIn) -> core::StandIn {
    match stand_in {
        stand_ins::StandIn::First => core::StandIn::First,
        stand_ins::StandIn::Second => core::StandIn::Second,
    }
}

pub(crate) fn stand_in_build(build: stand_ins::StandInBuild) -> core::StandInBuild {
    let stand_ins::StandInBuild {
        manifests,
        rendered,
    } = build;
    core::StandInBuild {
        manifests,
        rendered: files(rendered),
    }
}

pub(crate) fn config(config: wit::Config) -> core::Config {
    let wit::Config { path, content } = config;
    core::Config { path, content }
}

pub(crate) fn configs(configs: Vec<wit::Config>) -> Vec<core::Config> {
    configs.into_iter().map(config).collect()
}

pub(crate) fn ceiling(ceiling: wit::Ceiling) -> core::Ceiling {
    let wit::Ceiling {
        built_in,
        operator_policy,
    } = ceiling;
    core::Ceiling {
        built_in: match built_in {
            wit::BuiltInCeiling::None => core::BuiltInCeiling::None,
            wit::BuiltInCeiling::ArgoCd => core::BuiltInCeiling::ArgoCd,
        },
        operator_policy: operator_policy.map(config),
    }
}

pub(crate) fn schema_file(schema: rendering::SchemaFile) -> core::SchemaFile {
    let rendering::SchemaFile { file, start, end } = schema;
    core::SchemaFile {
        file: self::file(file),
        span: core::Span::new(position(start), position(end)),
    }
}

pub(crate) fn outputs_document(document: wit::OutputsDocument) -> core::OutputsDocument {
    let wit::OutputsDocument {
        name,
        path,
        content,
        format,
        sensitive,
        declared_at,
    } = document;
    core::OutputsDocument {
        name,
        path,
        content,
        format,
        sensitive,
        declared_at: declared_at.map(position),
    }
}

#[inline(never)]
pub(crate) fn outputs_documents(
    documents: Vec<wit::OutputsDocument>,
) -> Vec<core::OutputsDocument> {
    documents.into_iter().map(outputs_document).collect()
}

fn known_name(name: rendering::KnownName) -> core::KnownName {
    let rendering::KnownName { name, bound_by } = name;
    core::KnownName { name, bound_by }
}

#[inline(never)]
pub(crate) fn known_names(names: Vec<rendering::KnownName>) -> Vec<core::KnownName> {
    names.into_iter().map(known_name).collect()
}

fn parameter(parameter: wit::Parameter) -> core::Parameter {
    let wit::Parameter { name, value } = parameter;
    let value = match value {
        wit::ParameterValue::Text(text) => core::ParameterValue::Text(text),
        wit::ParameterValue::Items(items) => core::ParameterValue::Items(items),
        wit::ParameterValue::Entries(entries) => core::ParameterValue::Entries(entries),
    };
    core::Parameter { name, value }
}

#[inline(never)]
pub(crate) fn parameters(parameters: Vec<wit::Parameter>) -> Vec<core::Parameter> {
    parameters.into_iter().map(parameter).collect()
}

pub(crate) fn configuration(configuration: rendering::Configuration) -> core::Configuration {
    let rendering::Configuration {
        binding,
        ceiling,
        policy,
        bound_otherwise,
    } = configuration;
    core::Configuration {
        binding: binding.map(config),
        ceiling: self::ceiling(ceiling),
        policy: policy.map(config),
        bound_otherwise,
    }
}

/// Returns a request for an application.
// One copy for all exports.
#[inline(never)]
pub(crate) fn request(application: &core::Application, inputs: rendering::Inputs) -> core::Request {
    let rendering::Inputs {
        documents,
        known_names,
        resources_only,
        keep_references,
        detail,
        answer_limit,
    } = inputs;
    core::Request {
        application: application.clone(),
        outputs: outputs_documents(documents),
        known_names: self::known_names(known_names),
        resources_only,
        keep_references,
        detail: match detail {
            rendering::Detail::Diagnostics => core::Detail::Diagnostics,
            rendering::Detail::Substitutions => core::Detail::Substitutions,
        },
        answer_limit,
    }
}
