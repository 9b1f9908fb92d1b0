//! Questions of editors.

use super::{Application, Outcome, Plugin, Sources, stopped};
use crate::Stopped;
use crate::types::{
    Completion, Config, Explanation, Inputs, NameDefinition, OutputsDocument, Position, Renamed,
    Span, Subject,
};

impl Plugin {
    /// Returns what can be written at a position, best first.
    ///
    /// # Errors
    /// As [`Self::check_outputs`].
    pub fn complete(
        &mut self,
        application: &Application,
        sources: &Sources,
        documents: &[OutputsDocument],
        at: Position,
    ) -> Result<Vec<Completion>, Stopped> {
        call!(
            self,
            assist,
            call_complete(application.0, sources.0, documents, at)
        )
    }

    /// Returns what the name at a position means.
    ///
    /// # Errors
    /// As [`Self::check_outputs`].
    pub fn hover(
        &mut self,
        application: &Application,
        sources: &Sources,
        documents: &[OutputsDocument],
        at: Position,
    ) -> Result<Option<Explanation>, Stopped> {
        call!(
            self,
            assist,
            call_hover(application.0, sources.0, documents, at)
        )
    }

    /// Returns where the name at a position is defined.
    ///
    /// # Errors
    /// As [`Self::check_outputs`].
    pub fn definition(
        &mut self,
        application: &Application,
        sources: &Sources,
        documents: &[OutputsDocument],
        at: Position,
    ) -> Result<Option<NameDefinition>, Stopped> {
        call!(
            self,
            assist,
            call_definition(application.0, sources.0, documents, at)
        )
    }

    /// Returns every place that names an output or a bound name.
    ///
    /// # Errors
    /// As [`Self::check_outputs`].
    pub fn references(
        &mut self,
        application: &Application,
        sources: &Sources,
        inputs: &Inputs,
        contracts: &[Config],
        of: &Subject,
    ) -> Result<Vec<Span>, Stopped> {
        call!(
            self,
            assist,
            call_references(application.0, sources.0, inputs, contracts, of)
        )
    }

    /// Returns the edits that rename an output or a bound name.
    ///
    /// # Errors
    /// As [`Self::check_outputs`]; the inner error contains the reasons why not all places can
    /// have the new name.
    pub fn rename(
        &mut self,
        application: &Application,
        sources: &Sources,
        inputs: &Inputs,
        contracts: &[Config],
        of: &Subject,
        to: &str,
    ) -> Outcome<Renamed> {
        call!(
            self,
            assist,
            call_rename(application.0, sources.0, inputs, contracts, of, to)
        )
    }
}
