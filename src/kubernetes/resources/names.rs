//! The names in the fields of one document, each stored once.
//!
//! A document has as many fields as values, and each field names its resource and the keys
//! of its path. If long names were copied into every field, the work would grow with the
//! square of their length.

use std::cell::RefCell;
use std::rc::Rc;

use crate::collections::OrderedMap;
use crate::report::ResourceRef;
use yaml::NodeId;

/// Shorter keys are copied: that is as fast as a lookup.
const LONG: usize = 64;

#[derive(Debug, Default)]
pub(crate) struct Names {
    keys: RefCell<OrderedMap<NodeId, Rc<str>>>,
    resources: RefCell<OrderedMap<NodeId, Rc<ResourceRef>>>,
}

impl Names {
    /// Returns the text of the key `id`.
    pub(crate) fn key(&self, id: NodeId, text: &str) -> Rc<str> {
        if text.len() < LONG {
            return text.into();
        }
        let mut keys = self.keys.borrow_mut();
        Rc::clone(keys.entry(id).or_insert_with(|| text.into()))
    }

    /// Returns the resource of the mapping `id`.
    pub(crate) fn resource(
        &self,
        id: NodeId,
        named: impl FnOnce() -> ResourceRef,
    ) -> Rc<ResourceRef> {
        let mut resources = self.resources.borrow_mut();
        Rc::clone(resources.entry(id).or_insert_with(|| Rc::new(named())))
    }
}
