//! Where a scalar's value lands, at its own place and wherever an alias repeats
//! it, and the one form of the value that all these places take.

use std::borrow::Cow;

use super::conversion::{Mismatch, digits, fit};
use super::{CustomKinds, FieldType, field_type};
use crate::binding::place::{Field, Places};
use crate::binding::substitute::{Part, Scalar};
use crate::manifest::{Kind, NodeId, Role, Tree};
use crate::outputs::Value;

/// The landing places of one document.
pub(crate) struct Landings<'a> {
    tree: &'a Tree<'a>,
    places: &'a Places<'a>,
    custom: &'a CustomKinds<'a>,
    /// At the number of each anchor, one alias for each type that a field with such
    /// an alias has.
    aliases: Vec<Vec<(NodeId, FieldType)>>,
}

/// What becomes of a scalar by the type of its field.
pub(crate) enum Landed {
    /// The author's quotes, a tag or the output's type decide: of the field nothing
    /// is known.
    Free,
    /// It fits as it is.
    Fits,
    /// This takes the place of its reference's value.
    Whole(Value),
    /// Its text, values in it, is this number or bool.
    Joined(Value),
}

/// A value that cannot stand at one of its places.
pub(crate) struct Refusal {
    pub(crate) mismatch: Mismatch,
    /// The place.
    pub(crate) field: Field,
    /// The alias that repeats the value there; none: its own place.
    pub(crate) alias: Option<NodeId>,
    /// That place alone would take it, but not together with the others.
    conflict: bool,
    /// It is the text that several parts make.
    pub(crate) joined: bool,
}

impl Refusal {
    /// What to do about it.
    pub(crate) const fn help(&self) -> &'static str {
        match self.conflict {
            true => "write the reference there once more instead of the alias",
            false => self.mismatch.help(),
        }
    }
}

/// A place whose type is known.
struct Landing {
    takes: FieldType,
    /// The alias, and how many steps of the scalar's own path lead to it from the
    /// anchor.
    alias: Option<(NodeId, usize)>,
}

impl<'a> Landings<'a> {
    pub(crate) fn new(
        tree: &'a Tree<'a>,
        places: &'a Places<'a>,
        custom: &'a CustomKinds<'a>,
    ) -> Self {
        let mut aliases: Vec<Vec<(NodeId, FieldType)>> = Vec::new();
        for (id, node) in tree.nodes.iter().enumerate() {
            let Kind::Alias(Some(anchor)) = node.kind else {
                continue;
            };
            let field = places.field(id);
            let takes = field_type(field.resource.as_ref(), &field.steps, custom);
            if aliases.len() <= anchor {
                aliases.resize_with(anchor + 1, Vec::new);
            }
            let types = &mut aliases[anchor];
            // A scalar may be repeated a thousand times: each type is judged once.
            if takes != FieldType::Unknown && types.iter().all(|(_, known)| *known != takes) {
                types.push((id, takes));
            }
        }
        Self {
            tree,
            places,
            custom,
            aliases,
        }
    }

    pub(crate) const fn tree(&self) -> &'a Tree<'a> {
        self.tree
    }

    /// The form of a value that a field which is not there yet takes.
    ///
    /// # Errors
    /// It takes no such value.
    pub(crate) fn fitted(&self, value: &Value, field: &Field) -> Result<Value, Box<Refusal>> {
        let landing = Landing {
            takes: field_type(field.resource.as_ref(), &field.steps, self.custom),
            alias: None,
        };
        let fitted = self.fit(value, &[landing], field, false)?;
        Ok(fitted.unwrap_or_else(|| value.clone()))
    }

    /// What the places of this scalar make of its values.
    ///
    /// # Errors
    /// One of them takes no such value, or they want different ones.
    pub(crate) fn land(
        &self,
        scalar: &Scalar<'_>,
        parts: &[Part<'_>],
        field: &Field,
    ) -> Result<Landed, Box<Refusal>> {
        if !scalar.is_typed_by_its_place() {
            return Ok(Landed::Free);
        }
        let landings = self.of(scalar.id, field);
        if landings.is_empty() {
            return Ok(Landed::Free);
        }
        if let Some(value) = scalar.whole_value(parts) {
            let fitted = self.fit(value, &landings, field, false)?;
            return Ok(fitted.map_or(Landed::Fits, Landed::Whole));
        }
        let is_text = |part: &Part<'_>| !part.read || part.value.and_then(Value::text).is_some();
        let takes_text = |landing: &Landing| landing.takes == FieldType::String;
        if landings.iter().all(takes_text) || !parts.iter().all(is_text) {
            return Ok(Landed::Fits);
        }
        let text = Value::String(scalar.target(parts));
        let fitted = self.fit(&text, &landings, field, true)?;
        Ok(fitted.map_or(Landed::Fits, Landed::Joined))
    }

    /// The places of known type where this scalar's value lands.
    fn of(&self, id: NodeId, field: &Field) -> Vec<Landing> {
        let mut landings = Vec::new();
        if self.tree.nodes[id].role == Role::Root {
            // The root of an embedded document has the type that the document gives
            // it; the field that holds the document takes the text around it.
            return landings;
        }
        let mut add = |takes: FieldType, alias| {
            if takes != FieldType::Unknown {
                landings.push(Landing { takes, alias });
            }
        };
        add(
            field_type(field.resource.as_ref(), &field.steps, self.custom),
            None,
        );
        if self.aliases.is_empty() {
            return landings;
        }
        let mut at = id;
        // Above its resource the place of an anchor says nothing: the resource
        // brings its own kind along.
        for depth in 0..field.steps.len() {
            let node = &self.tree.nodes[at];
            let inside = &field.steps[field.steps.len() - depth..];
            for (alias, takes) in node
                .anchor
                .iter()
                .filter_map(|a| self.aliases.get(*a))
                .flatten()
            {
                add(takes.clone().behind(inside), Some((*alias, depth)));
            }
            match node.parent {
                Some(parent) => at = parent,
                None => break,
            }
        }
        landings
    }

    /// The form of the value that all landings take: none when it is the value
    /// itself.
    fn fit(
        &self,
        value: &Value,
        landings: &[Landing],
        own: &Field,
        joined: bool,
    ) -> Result<Option<Value>, Box<Refusal>> {
        let refusal = |mismatch: Mismatch, landing: &Landing| {
            let field = match landing.alias {
                Some((alias, depth)) => {
                    let mut field = self.places.field(alias);
                    let inside = own.steps.len().saturating_sub(depth);
                    field.steps.extend_from_slice(&own.steps[inside..]);
                    field
                }
                None => own.clone(),
            };
            Box::new(Refusal {
                conflict: landing.alias.is_some() && fit(value, &landing.takes).is_ok(),
                mismatch,
                field,
                alias: landing.alias.map(|(alias, _)| alias),
                joined,
            })
        };
        // A place that takes a number as well as a string decides nothing.
        let deciding = landings
            .iter()
            .find(|landing| landing.takes != FieldType::Either);
        let fitted = match deciding {
            Some(landing) => fit(value, &landing.takes).map_err(|error| refusal(error, landing))?,
            None if joined => digits(value),
            None => Cow::Borrowed(value),
        };
        for landing in landings {
            match fit(&fitted, &landing.takes) {
                Ok(Cow::Borrowed(_)) => {}
                Ok(Cow::Owned(_)) => {
                    let mismatch = Mismatch {
                        inside: Vec::new(),
                        takes: landing.takes.clone(),
                        found: fitted.value_type(),
                    };
                    return Err(refusal(mismatch, landing));
                }
                Err(error) => return Err(refusal(error, landing)),
            }
        }
        Ok(match fitted {
            Cow::Borrowed(_) => None,
            Cow::Owned(value) => Some(value),
        })
    }
}
