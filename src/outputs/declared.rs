//! What a Binding declares sensitive in its outputs documents. A declaration adds to the
//! marks of a document and never removes one.

use std::rc::Rc;

use crate::collections::{OrderedMap, OrderedSet};
use crate::outputs::{Output, OutputsDocument, Unreadable};
use crate::report::{Diagnostic, Origin, Rule, suggest};
use yaml::Span;

/// The outputs of one document that are sensitive, whatever its format marks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum DeclaredSensitive {
    #[default]
    None,
    All,
    Names(Rc<OrderedSet<String>>),
}

impl DeclaredSensitive {
    /// Returns whether an output is declared sensitive.
    pub(crate) fn contains(&self, name: &str) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Names(names) => names.contains(name),
        }
    }

    /// Returns whether no output is declared sensitive.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::None => true,
            Self::All => false,
            Self::Names(names) => names.is_empty(),
        }
    }

    /// Adds an output.
    pub(crate) fn insert(&mut self, name: &str) {
        match self {
            Self::None => *self = Self::Names(Rc::new([name.to_owned()].into())),
            Self::All => {}
            Self::Names(names) => {
                Rc::make_mut(names).insert(name.to_owned());
            }
        }
    }
}

/// What an item of `spec.outputs` declares about the outputs of its document.
#[derive(Clone, Debug)]
pub(crate) struct Declaration {
    /// The document of the spans.
    pub(crate) origin: Origin,
    /// The start of the item there, as in [`OutputsDocument::declared_at`].
    pub(crate) start: usize,
    /// `sensitive: true`
    pub(crate) is_sensitive: bool,
    /// `sensitive: [NAME]`, each with its location.
    pub(crate) sensitive: Vec<(String, Span)>,
    /// `notSensitive: [NAME]`, each with its location.
    pub(crate) not_sensitive: Vec<(String, Span)>,
    /// Whether the outputs are in the Binding itself.
    pub(crate) is_inline: bool,
    /// `optional: true`
    pub(crate) is_optional: bool,
}

/// What a Binding declares about the documents of each name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declarations {
    /// In the order of the Binding.
    by_name: OrderedMap<String, Vec<Declaration>>,
    /// The Binding cannot be read.
    is_unknown: bool,
    /// References name a variable and no binding: an output of any document.
    pub(crate) names_variables: bool,
}

impl Declarations {
    /// Returns the declarations of a Binding that cannot be read: any output may be one
    /// that it declares sensitive.
    pub(crate) fn unknown() -> Self {
        Self {
            is_unknown: true,
            ..Self::default()
        }
    }

    /// Returns whether the Binding cannot be read.
    pub(crate) const fn is_unknown(&self) -> bool {
        self.is_unknown
    }

    /// Adds the next item of `spec.outputs`, which binds `name`.
    pub(crate) fn push(&mut self, name: String, declaration: Declaration) {
        self.by_name.entry(name).or_default().push(declaration);
    }

    /// Returns the outputs that are declared sensitive in any document of a name. For
    /// callers that don't know which of the documents they have.
    pub(crate) fn sensitive(&self, name: &str) -> DeclaredSensitive {
        self.combined(self.of(name)).0
    }

    /// Returns whether any output of a name may be declared sensitive.
    pub(crate) fn has_sensitive(&self, name: &str) -> bool {
        !self.sensitive(name).is_empty()
    }

    /// Returns what applies to each document: what its own item declares if it is known which
    /// one that is, and otherwise what all items of its name declare.
    pub(super) fn applicable(&self, documents: &[OutputsDocument]) -> Vec<Applicable<'_>> {
        let mut counts: OrderedMap<&str, usize> = OrderedMap::new();
        for document in documents {
            *counts.entry(&document.name).or_default() += 1;
        }
        let mut of_name = OrderedMap::new();
        let applicable = documents.iter().map(|document| {
            let all = self.of(&document.name);
            let is_only = all.len() == 1 && counts.get(&*document.name) == Some(&1);
            let is_own = |one: &&Declaration| is_only || document.declared_at == Some(one.start);
            let own = all.iter().find(is_own);
            let (sensitive, not_sensitive) = match own {
                // An alias can give two items the same document.
                Some(_) => self.combined(all.iter().filter(is_own)),
                None => of_name
                    .entry(document.name.as_str())
                    .or_insert_with(|| self.combined(all))
                    .clone(),
            };
            Applicable {
                sensitive,
                not_sensitive,
                own,
            }
        });
        applicable.collect()
    }

    /// Returns the outputs of each document that are declared sensitive.
    pub(crate) fn of_each(&self, documents: &[OutputsDocument]) -> Vec<DeclaredSensitive> {
        let applicable = self.applicable(documents).into_iter();
        applicable.map(|declared| declared.sensitive).collect()
    }

    /// Returns the names whose documents are all optional, and of which none is among
    /// `documents`; sorted.
    pub(crate) fn absent<'d>(
        &'d self,
        documents: &'d [OutputsDocument],
    ) -> impl Iterator<Item = &'d str> {
        let names = self.by_name.iter().filter(move |(name, declarations)| {
            declarations.iter().all(|one| one.is_optional)
                && !documents.iter().any(|document| document.name == **name)
        });
        names.map(|(name, _)| name.as_str())
    }

    fn of(&self, name: &str) -> &[Declaration] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the outputs that these declarations make sensitive, and those that they
    /// declare not sensitive.
    fn combined<'d>(
        &self,
        declarations: impl IntoIterator<Item = &'d Declaration, IntoIter: Clone>,
    ) -> (DeclaredSensitive, Rc<OrderedSet<&'d str>>) {
        let declarations = declarations.into_iter();
        let names = declarations.clone().flat_map(|one| &one.not_sensitive);
        let not_sensitive = names.map(|(name, _)| name.as_str()).collect();
        let mut sensitive = DeclaredSensitive::None;
        if self.is_unknown || declarations.clone().any(|one| one.is_sensitive) {
            sensitive = DeclaredSensitive::All;
        }
        for (name, _) in declarations.flat_map(|one| &one.sensitive) {
            sensitive.insert(name);
        }
        (sensitive, Rc::new(not_sensitive))
    }
}

/// What applies to one document.
pub(super) struct Applicable<'d> {
    pub(super) sensitive: DeclaredSensitive,
    /// The outputs that are not secrets, whatever their names.
    pub(super) not_sensitive: Rc<OrderedSet<&'d str>>,
    /// The declaration of the item that names the document, if it is known which one.
    pub(super) own: Option<&'d Declaration>,
}

impl Declaration {
    /// Returns a declaration in a document that declares nothing.
    pub(crate) const fn new(origin: Origin) -> Self {
        Self {
            origin,
            start: 0,
            is_sensitive: false,
            sensitive: Vec::new(),
            not_sensitive: Vec::new(),
            is_inline: false,
            is_optional: false,
        }
    }

    /// Reports the names that the document doesn't have, and those that are declared not
    /// sensitive but are.
    pub(super) fn wrong_names(
        &self,
        bound_name: &str,
        document: Origin,
        outputs: &[Output],
        unreadable: &[Unreadable],
        may_suggest: &dyn Fn() -> bool,
    ) -> Vec<Diagnostic> {
        if self.sensitive.is_empty() && self.not_sensitive.is_empty() {
            return Vec::new();
        }
        let outputs = outputs
            .iter()
            .map(|output| (&*output.name, (output.span, output.sensitive)));
        let unreadable = unreadable
            .iter()
            .map(|entry| (&*entry.name, (entry.span, entry.sensitive)));
        let outputs: OrderedMap<&str, (Span, bool)> = outputs.chain(unreadable).collect();
        let unknown = |name: &str| {
            let message = format!("`{bound_name}` has no output `{name}`");
            let error = Diagnostic::error(Rule::UnknownOutput, message);
            let listed = || outputs.keys().copied();
            let near = if may_suggest() {
                suggest::closest(name, listed())
            } else {
                None
            };
            match near.and_then(|near| Some((near, outputs.get(near)?))) {
                Some((name, (span, _))) => error
                    .at_concealed(document, *span, "this output exists")
                    .help(format!("did you mean `{name}`?")),
                None => error.help("list only outputs of this document"),
            }
        };
        let sensitive = self.sensitive.iter().map(|listed| (listed, true));
        let not_sensitive = self.not_sensitive.iter().map(|listed| (listed, false));
        let wrong = |((name, at), as_sensitive): (&(String, Span), bool)| {
            let error = match outputs.get(name.as_str()) {
                None => unknown(name),
                Some((span, true)) if !as_sensitive => {
                    let message = format!(
                        "`{bound_name}.{name}` is sensitive, and the Binding cannot change that"
                    );
                    Diagnostic::error(Rule::InvalidBinding, message)
                        .at_concealed(document, *span, "marked sensitive here")
                        .help("remove it from `notSensitive`")
                }
                Some(_) => return None,
            };
            let label = if as_sensitive {
                "declared sensitive here"
            } else {
                "declared not sensitive here"
            };
            let mut error = error.in_config(self.origin, *at, label);
            // The location in the Binding is the primary one.
            error.labels.rotate_right(1);
            Some(error)
        };
        sensitive.chain(not_sensitive).filter_map(wrong).collect()
    }
}
