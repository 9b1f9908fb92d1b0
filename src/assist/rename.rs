//! Renames an output or a bound name wherever it is used.

use crate::assist::mentions::{Mention, Renamed, Searched};
use crate::assist::subject::Subject;
use crate::config::Config;
use crate::contract::{File, Request, Sources};
use crate::outputs::is_name;
use crate::report::{Diagnostic, Diagnostics, Origin, Rule};
use yaml::{Edit, Span, splice};

/// The edits of a rename, ascending and disjoint in each document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rename {
    /// Those of each source file, in their order.
    pub sources: Vec<Vec<Edit>>,
    /// Those of the Binding.
    pub binding: Vec<Edit>,
    /// Those of each contract, in their order.
    pub contracts: Vec<Vec<Edit>>,
}

impl Sources {
    /// Returns the edits that rename an output or a bound name at all places that
    /// [`Self::references`] returns, and nowhere else. The new name is quoted and escaped as each
    /// place requires, and every reference still reads as it did; this is verified. Whether
    /// the new name exists already is the caller's concern, except where a dialect would read
    /// another output.
    ///
    /// # Errors
    /// The new name cannot be written at some place, the subject is a key in the value of an
    /// output, or a document that may name the subject cannot be read.
    ///
    /// # Examples
    /// ```
    /// use landfall::{File, OutputsDocument, Request, Sources, Subject};
    ///
    /// let content = b"vpc: \"${infra.vpc_id}\"\n".to_vec();
    /// let sources = Sources::new(vec![File { path: "a.yaml".into(), content }]);
    /// let outputs = vec![OutputsDocument { name: "infra".into(), ..OutputsDocument::default() }];
    /// let request = Request { outputs, ..Request::default() };
    /// let output = Subject { name: "infra".into(), path: vec!["vpc_id".into()] };
    /// let rename = sources.rename(&request, &[], &output, "vpc id").unwrap();
    /// assert_eq!(rename.sources[0][0].text, b"['vpc id']");
    /// ```
    pub fn rename(
        &self,
        request: &Request,
        contracts: &[Config],
        subject: &Subject,
        to: &str,
    ) -> Result<Rename, Diagnostics> {
        let renaming = Renaming { subject, to };
        if let Some(error) = renaming.invalid_name() {
            return Err(error.into());
        }
        let searched = Searched {
            sources: self,
            request,
            contracts,
        };
        let (mentions, problems) = searched.mentions(subject, Some(to));
        if !problems.is_empty() {
            return Err(problems);
        }
        let is_unwritable =
            |mention: &&Mention| mention.found.is_some() && renamed(mention).is_none();
        let unwritable: Diagnostics = mentions
            .iter()
            .filter(is_unwritable)
            .map(|mention| renaming.failed_at(mention))
            .collect();
        if !unwritable.is_empty() {
            return Err(unwritable);
        }
        let edited = Edited::new(searched, &mentions);
        match edited.differing(&renaming, &mentions) {
            None => Ok(edited.into_rename()),
            Some(mention) => Err(renaming.failed_at(mention).into()),
        }
    }
}

/// What becomes what.
struct Renaming<'s> {
    subject: &'s Subject,
    to: &'s str,
}

impl Renaming<'_> {
    /// Returns why the subject cannot have the name anywhere.
    fn invalid_name(&self) -> Option<Diagnostic> {
        let Self { subject, to } = self;
        let (message, help) = match &subject.path[..] {
            [] if !is_name(to) => (
                format!("invalid binding name `{to}`"),
                "a name starts with a letter or `_`, followed by letters, digits, `_` or `-`",
            ),
            [_] if to.is_empty() => (
                format!("the new name of `{subject}` is empty"),
                "choose a name with at least one character",
            ),
            [_, _, ..] => (
                format!("`{subject}` is part of the value of an output, and cannot be renamed"),
                "change the key where the value is made, and then its references",
            ),
            _ => return None,
        };
        Some(Diagnostic::error(Rule::NotRenamed, message).help(help))
    }

    fn failed_at(&self, mention: &Mention) -> Diagnostic {
        let Self { subject, to } = self;
        let message = format!("`{subject}` cannot be renamed to `{to}`");
        Diagnostic::error(Rule::NotRenamed, message)
            .at_concealed(mention.origin, mention.whole, "not possible here")
            .help("choose another name, of letters, digits and `_`")
    }
}

/// The documents of a search with their edits: the sources, the Binding, the contracts.
struct Edited<'s> {
    searched: Searched<'s>,
    edits: Vec<Vec<Edit>>,
}

impl<'s> Edited<'s> {
    fn new(searched: Searched<'s>, mentions: &[Mention]) -> Self {
        let documents = searched.sources.files().len() + 1 + searched.contracts.len();
        let mut edited = Self {
            searched,
            edits: vec![Vec::new(); documents],
        };
        for mention in mentions {
            let position = edited.position(mention.origin);
            if let (Some(renamed), Some(edits)) = (renamed(mention), edited.edits.get_mut(position))
            {
                edits.extend_from_slice(&renamed.edits);
            }
        }
        for edits in &mut edited.edits {
            edits.sort_by_key(|edit| edit.span.start);
        }
        edited
    }

    /// Returns the position of a document in `edits`.
    fn position(&self, origin: Origin) -> usize {
        let files = self.searched.sources.files().len();
        let outputs = self.searched.request.outputs.len();
        match origin {
            Origin::Manifest(file) => file,
            Origin::Outputs(nth) => files + 1 + nth.saturating_sub(outputs),
            _ => files,
        }
    }

    /// Returns the first place that reads as something else after the edits.
    fn differing<'m>(
        &self,
        renaming: &Renaming<'_>,
        mentions: &'m [Mention],
    ) -> Option<&'m Mention> {
        let first = || mentions.iter().find(|mention| mention.found.is_some());
        let Some(documents) = self.applied(renaming) else {
            return first();
        };
        let (found, problems) = documents.searched().mentions(renaming.subject, None);
        let shifts: Vec<Shifts> = self.edits.iter().map(|edits| Shifts::new(edits)).collect();
        let mut found = found.into_iter();
        for mention in mentions {
            let shift = shifts.get(self.position(mention.origin));
            let whole = shift.map(|shift| shift.span(mention.whole));
            let names = renamed(mention).map_or(&mention.names, |renamed| &renamed.names);
            let is_same = |found: Mention| {
                found.origin == mention.origin
                    && Some(found.whole) == whole
                    && found.names == *names
            };
            if !found.next().is_some_and(is_same) {
                return Some(mention);
            }
        }
        // The new name makes references of other text.
        if found.next().is_none() && problems.is_empty() {
            None
        } else {
            first()
        }
    }

    /// Returns the documents after the edits.
    fn applied(&self, renaming: &Renaming<'_>) -> Option<Documents> {
        let mut edits = self.edits.iter();
        let files = self
            .searched
            .sources
            .files()
            .iter()
            .zip(&mut edits)
            .map(|(file, edits)| {
                let content = splice(&file.content, edits).ok()?;
                let path = file.path.clone();
                Some(File { path, content })
            });
        let sources = Sources::new(files.collect::<Option<_>>()?);
        let spliced = |config: &Config, edits: &[Edit]| {
            let content = splice(&config.content, edits).ok()?;
            let path = config.path.clone();
            Some(Config { path, content })
        };
        let mut request = self.searched.request.clone();
        let of_binding = edits.next()?;
        if let Some(binding) = &self.searched.request.configuration().binding {
            let binding = spliced(binding, of_binding)?;
            request.configure(|configuration| configuration.binding = Some(binding));
        }
        if renaming.subject.path.is_empty() {
            let documents = request
                .outputs
                .iter_mut()
                .map(|document| &mut document.name);
            let known = request.known_names.iter_mut().map(|known| &mut known.name);
            let names = documents.chain(known);
            names
                .filter(|name| **name == renaming.subject.name)
                .for_each(|name| renaming.to.clone_into(name));
        }
        let read = self.searched.contracts.iter().zip(edits);
        let contracts = read.map(|(contract, edits)| spliced(contract, edits));
        Some(Documents {
            sources,
            request,
            contracts: contracts.collect::<Option<_>>()?,
        })
    }

    fn into_rename(self) -> Rename {
        let mut sources = self.edits;
        let mut after = sources.split_off(self.searched.sources.files().len());
        let contracts = after.split_off(1);
        Rename {
            sources,
            binding: after.pop().unwrap_or_default(),
            contracts,
        }
    }
}

/// Returns what a place becomes.
fn renamed(mention: &Mention) -> Option<&Renamed> {
    mention.found.as_ref()?.renamed.as_ref()
}

/// Documents after a rename.
struct Documents {
    sources: Sources,
    request: Request,
    contracts: Vec<Config>,
}

impl Documents {
    fn searched(&self) -> Searched<'_> {
        Searched {
            sources: &self.sources,
            request: &self.request,
            contracts: &self.contracts,
        }
    }
}

/// Where the bytes of a document are after its edits.
struct Shifts {
    /// Where each edit ends before, and after.
    ends: Vec<(usize, usize)>,
}

impl Shifts {
    fn new(edits: &[Edit]) -> Self {
        let (mut added, mut removed) = (0, 0);
        let ends = edits.iter().map(|edit| {
            added += edit.text.len();
            removed += edit.span.range().len();
            (edit.span.end, edit.span.end + added - removed)
        });
        Self {
            ends: ends.collect(),
        }
    }

    fn span(&self, span: Span) -> Span {
        Span::new(self.at(span.start), self.at(span.end))
    }

    fn at(&self, at: usize) -> usize {
        let next = self.ends.partition_point(|(end, _)| *end <= at);
        let last = next.checked_sub(1).and_then(|last| self.ends.get(last));
        last.map_or(at, |(before, after)| after + (at - before))
    }
}
