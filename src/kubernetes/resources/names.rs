//! The names in the fields of one document, each stored once.
//!
//! A document has as many fields as values, and each field names its resource and the
//! keys that lead to it. Copied into every field, a long name would make the work of a
//! document grow with the square of its length.

use std::cell::RefCell;
use std::rc::Rc;

use crate::collections::OrderedMap;
use crate::report::ResourceRef;
use yaml::NodeId;

/// Shorter keys are copied: that takes no longer than looking them up.
const LONG: usize = 64;

#[derive(Debug, Default)]
pub(crate) struct Names {
    keys: RefCell<OrderedMap<NodeId, Rc<str>>>,
    resources: RefCell<OrderedMap<NodeId, Rc<ResourceRef>>>,
}

impl Names {
    /// The text of the key `id`.
    pub(crate) fn key(&self, id: NodeId, text: &str) -> Rc<str> {
        if text.len() < LONG {
            return text.into();
        }
        let mut keys = self.keys.borrow_mut();
        Rc::clone(keys.entry(id).or_insert_with(|| text.into()))
    }

    /// The resource that the mapping `id` is.
    pub(crate) fn resource(
        &self,
        id: NodeId,
        named: impl FnOnce() -> ResourceRef,
    ) -> Rc<ResourceRef> {
        let mut resources = self.resources.borrow_mut();
        Rc::clone(resources.entry(id).or_insert_with(|| Rc::new(named())))
    }
}
