//! The names in the fields of one document, each stored once.
//!
//! A document has as many fields as values, and each field names its resource and the keys
//! of its path. If long names were copied into every field, the work would grow with the
//! square of their length.

use std::cell::RefCell;
use std::rc::Rc;

use crate::report::ResourceRef;
use yaml::NodeId;

#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// By node.
    keys: RefCell<Vec<Option<Rc<str>>>>,
    /// By the position of the resource's header.
    resources: RefCell<Vec<Option<Rc<ResourceRef>>>>,
}

impl Names {
    /// Returns the text of the key `id`.
    pub(crate) fn key(&self, id: NodeId, text: &str) -> Rc<str> {
        let mut keys = self.keys.borrow_mut();
        Rc::clone(cached(&mut keys, id, || text.into()))
    }

    /// Returns the resource whose header has this position among the document's headers.
    pub(crate) fn resource(
        &self,
        header: usize,
        named: impl FnOnce() -> ResourceRef,
    ) -> Rc<ResourceRef> {
        let mut resources = self.resources.borrow_mut();
        Rc::clone(cached(&mut resources, header, || Rc::new(named())))
    }
}

fn cached<T: ?Sized>(
    cache: &mut Vec<Option<Rc<T>>>,
    at: usize,
    name: impl FnOnce() -> Rc<T>,
) -> &Rc<T> {
    if cache.len() <= at {
        cache.resize(at + 1, None);
    }
    cache[at].get_or_insert_with(name)
}
