//! Questions of editors.

use landfall as core;

use crate::bindings::exports::landfall::config_management::{assist, rendering, types};
use crate::rendering::{ApplicationBorrow, SourcesBorrow};
use crate::{Application, Plugin, Sources, from_wit, request, to_wit};

/// Returns the content of the file at a position; none if there is no such file.
fn content(sources: &landfall::Sources, at: assist::Position) -> &[u8] {
    let file = sources.files().get(from_wit::position(at.source));
    file.map_or(&[], |file| &file.content)
}

impl assist::Guest for Plugin {
    fn complete(
        application: ApplicationBorrow<'_>,
        sources: SourcesBorrow<'_>,
        documents: Vec<types::OutputsDocument>,
        at: assist::Position,
    ) -> Vec<assist::Completion> {
        let sources = sources.get::<Sources>().borrow();
        let Application(application) = application.get();
        let documents = from_wit::outputs_documents(documents);
        let offset = from_wit::position(at.offset);
        landfall::complete(content(&sources, at), offset, &documents, application)
            .into_iter()
            .map(completion)
            .collect()
    }

    fn hover(
        application: ApplicationBorrow<'_>,
        sources: SourcesBorrow<'_>,
        documents: Vec<types::OutputsDocument>,
        at: assist::Position,
    ) -> Option<assist::Explanation> {
        let sources = sources.get::<Sources>().borrow();
        let Application(application) = application.get();
        let documents = from_wit::outputs_documents(documents);
        let offset = from_wit::position(at.offset);
        landfall::hover(content(&sources, at), offset, &documents, application).map(explanation)
    }

    fn definition(
        application: ApplicationBorrow<'_>,
        sources: SourcesBorrow<'_>,
        documents: Vec<types::OutputsDocument>,
        at: assist::Position,
    ) -> Option<assist::NameDefinition> {
        let sources = sources.get::<Sources>().borrow();
        let Application(application) = application.get();
        let documents = from_wit::outputs_documents(documents);
        let offset = from_wit::position(at.offset);
        landfall::definition(content(&sources, at), offset, &documents, application).map(definition)
    }

    fn references(
        application: ApplicationBorrow<'_>,
        sources: SourcesBorrow<'_>,
        inputs: rendering::Inputs,
        contracts: Vec<types::Config>,
        of: assist::Subject,
    ) -> Vec<types::Span> {
        let sources = sources.get::<Sources>().borrow();
        let contracts = from_wit::configs(contracts);
        let of = subject(of);
        sources
            .references(&request(&application, inputs), &contracts, &of)
            .into_iter()
            .map(|at| to_wit::span(at.origin, at.span))
            .collect()
    }

    fn rename(
        application: ApplicationBorrow<'_>,
        sources: SourcesBorrow<'_>,
        inputs: rendering::Inputs,
        contracts: Vec<types::Config>,
        of: assist::Subject,
        to: String,
    ) -> Result<assist::Renamed, types::Findings> {
        let sources = sources.get::<Sources>().borrow();
        let contracts = from_wit::configs(contracts);
        let of = subject(of);
        sources
            .rename(&request(&application, inputs), &contracts, &of, &to)
            .map(renamed)
            .map_err(to_wit::findings)
    }
}

fn subject(subject: assist::Subject) -> core::Subject {
    let assist::Subject { name, path } = subject;
    core::Subject { name, path }
}

fn completion(completion: core::Completion) -> assist::Completion {
    let core::Completion {
        label,
        kind,
        detail,
        insert,
        span,
    } = completion;
    assist::Completion {
        label,
        kind: match kind {
            core::CompletionKind::Binding => assist::CompletionKind::Binding,
            core::CompletionKind::Output => assist::CompletionKind::Output,
            core::CompletionKind::Key => assist::CompletionKind::Key,
            core::CompletionKind::Function => assist::CompletionKind::Function,
        },
        detail,
        insert,
        start: to_wit::offset(span.start),
        end: to_wit::offset(span.end),
    }
}

fn explanation(hover: core::Hover) -> assist::Explanation {
    let core::Hover { span, kind } = hover;
    assist::Explanation {
        start: to_wit::offset(span.start),
        end: to_wit::offset(span.end),
        meaning: match kind {
            core::HoverKind::Binding { name, outputs } => {
                let outputs = to_wit::offset(outputs);
                assist::Meaning::Binding(assist::BoundName { name, outputs })
            }
            core::HoverKind::Output {
                path,
                value_type,
                sensitive,
                value,
                origin,
                definition,
            } => assist::Meaning::Output(assist::BoundOutput {
                path,
                value_type: value_type.to_owned(),
                sensitive,
                value,
                definition: to_wit::span(origin, definition),
            }),
            core::HoverKind::Function {
                name,
                signature,
                summary,
            } => assist::Meaning::Function(assist::CalledFunction {
                name: name.to_owned(),
                signature,
                summary: summary.to_owned(),
            }),
        },
    }
}

fn definition(definition: core::Definition) -> assist::NameDefinition {
    let core::Definition {
        span,
        origin,
        target,
    } = definition;
    assist::NameDefinition {
        start: to_wit::offset(span.start),
        end: to_wit::offset(span.end),
        target: to_wit::span(origin, target),
    }
}

fn renamed(rename: core::Rename) -> assist::Renamed {
    let core::Rename {
        sources,
        binding,
        contracts,
    } = rename;
    assist::Renamed {
        sources: sources.into_iter().map(to_wit::edits).collect(),
        binding: to_wit::edits(binding),
        contracts: contracts.into_iter().map(to_wit::edits).collect(),
    }
}
