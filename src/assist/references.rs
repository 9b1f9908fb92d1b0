//! Where an output or a bound name is used.

use crate::assist::mentions::Searched;
use crate::assist::subject::Subject;
use crate::config::Config;
use crate::contract::{Request, Sources};
use crate::report::Origin;
use yaml::Span;

/// A place that names an output or a bound name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedAt {
    /// The document.
    pub origin: Origin,
    /// The bytes of the name: in a reference without quotes, otherwise those of a scalar.
    pub span: Span,
}

impl Sources {
    /// Returns every place that names an output, something in its value, or a bound name, in the
    /// order of the sources, the Binding and the contracts: references in manifests, setter
    /// comments and field bindings, and in the Binding and the contracts the lists of sensitive
    /// outputs, `inline` outputs and requirements. The n-th contract, a document of the kind
    /// OutputsContract, has the origin of an outputs document after those of the request.
    ///
    /// Documents and references that cannot be parsed, and references in a resource that landfall
    /// leaves unchanged, are left out.
    ///
    /// # Examples
    /// ```
    /// use landfall::{File, OutputsDocument, Request, Sources, Subject};
    ///
    /// let content = b"a: ${infra.vpc_id}\nb: c # landfall: ${infra.vpc_id | upper}\n".to_vec();
    /// let sources = Sources::new(vec![File { path: "a.yaml".into(), content }]);
    /// let outputs = vec![OutputsDocument { name: "infra".into(), ..OutputsDocument::default() }];
    /// let request = Request { outputs, ..Request::default() };
    /// let output = Subject { name: "infra".into(), path: vec!["vpc_id".into()] };
    /// let found = sources.references(&request, &[], &output);
    /// assert_eq!(found.iter().map(|at| at.span.start).collect::<Vec<_>>(), [11, 44]);
    /// ```
    #[must_use]
    pub fn references(
        &self,
        request: &Request,
        contracts: &[Config],
        subject: &Subject,
    ) -> Vec<NamedAt> {
        let searched = Searched {
            sources: self,
            request,
            contracts,
        };
        let (mentions, _) = searched.mentions(subject, None);
        let found = mentions.iter().filter_map(|mention| {
            Some(NamedAt {
                origin: mention.origin,
                span: mention.found.as_ref()?.span,
            })
        });
        found.collect()
    }
}
