//! Converts records of the WIT world to the core's, by move: contents and texts are never
//! copied.

use landfall as core;

use crate::bindings::exports::landfall::config_management::{outputs, types as wit};

pub(crate) fn paths(paths: &[String]) -> Vec<&str> {
    paths.iter().map(String::as_str).collect()
}

/// Converts a position. In the guest, `usize` is 32 bits wide.
pub(crate) fn position(position: u32) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}

pub(crate) fn file(file: wit::File) -> core::File {
    let wit::File { path, content } = file;
    core::File { path, content }
}

pub(crate) fn config(config: wit::Config) -> core::Config {
    let wit::Config { path, content } = config;
    core::Config { path, content }
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

pub(crate) fn outputs_document(document: wit::OutputsDocument) -> core::OutputsDocument {
    let wit::OutputsDocument {
        name,
        path,
        content,
        format,
        sensitive,
    } = document;
    core::OutputsDocument {
        name,
        path,
        content,
        format,
        sensitive,
    }
}

pub(crate) fn outputs_inputs(inputs: outputs::Inputs) -> core::OutputsInputs {
    let outputs::Inputs {
        documents,
        binding,
        contract,
        ceiling,
        policy,
    } = inputs;
    core::OutputsInputs {
        documents: documents.into_iter().map(outputs_document).collect(),
        binding: binding.map(config),
        contract: contract.map(config),
        ceiling: self::ceiling(ceiling),
        policy: policy.map(config),
    }
}

pub(crate) fn known_name(name: wit::KnownName) -> core::KnownName {
    let wit::KnownName { name, bound_by } = name;
    core::KnownName { name, bound_by }
}

pub(crate) fn parameter(parameter: wit::Parameter) -> core::Parameter {
    let wit::Parameter { name, value } = parameter;
    let value = match value {
        wit::ParameterValue::Text(text) => core::ParameterValue::Text(text),
        wit::ParameterValue::Items(items) => core::ParameterValue::Items(items),
        wit::ParameterValue::Entries(entries) => core::ParameterValue::Entries(entries),
    };
    core::Parameter { name, value }
}

// One copy for three exports.
#[inline(never)]
pub(crate) fn request(request: wit::Request) -> core::Request {
    let wit::Request {
        outputs,
        binding,
        ceiling,
        policy,
        known_names,
        parameters,
        resources_only,
        keep_references,
        detail,
        answer_limit,
    } = request;
    core::Request {
        outputs: outputs.into_iter().map(outputs_document).collect(),
        binding: binding.map(config),
        ceiling: self::ceiling(ceiling),
        policy: policy.map(config),
        known_names: known_names.into_iter().map(known_name).collect(),
        parameters: parameters.into_iter().map(parameter).collect(),
        resources_only,
        keep_references,
        detail: match detail {
            wit::Detail::Diagnostics => core::Detail::Diagnostics,
            wit::Detail::Substitutions => core::Detail::Substitutions,
        },
        answer_limit,
    }
}
