//! The operator's policy: a ceiling on what an application's author may configure.

use crate::config::Config;
use crate::config::binding::{header, with_document};
use crate::config::keys::OPERATOR_ROOT;
use crate::config::policy::Policies;
use crate::config::reader::Reader;
use crate::report::{Diagnostics, Origin, Rule};

/// Reads the operator's ceiling. Each key is the loosest value allowed:
///
/// ```yaml
/// apiVersion: landfall.dev/v1alpha1
/// kind: OperatorPolicy
/// spec:
///   missing: error
///   nonsensitive: refuse
///   sensitive:
///     kinds: [Secret]     # these may hold sensitive values; [] means none
/// ```
///
/// # Errors
/// Every problem in the document.
pub(crate) fn read(config: &Config) -> Result<Policies, Diagnostics> {
    let (origin, rule) = (Origin::OperatorPolicy, Rule::InvalidPolicy);
    with_document(config, origin, rule, |tree| {
        let mut reader = Reader::new(tree, 0, origin, rule);
        let root = reader.mapping(0, "the policy", &OPERATOR_ROOT);
        header(&mut reader, 0, &root, "OperatorPolicy");
        let policies = match root.get("spec") {
            Some(spec) => Policies::read(&mut reader, *spec, "spec"),
            None => Policies::default(),
        };
        reader.finish(policies)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::BuiltInCeiling;
    use crate::config::policy::Policy;

    #[track_caller]
    fn check(spec: &str, expected: Result<bool, &str>) {
        let text =
            format!("apiVersion: landfall.dev/v1alpha1\nkind: OperatorPolicy\nspec: {spec}\n");
        let config = Config {
            path: "policy.yaml".into(),
            content: text.clone().into(),
        };
        let found = read(&config).map(|operator| {
            let none = Policies::default();
            let (policy, _) = Policy::in_force(&none, &none, &operator, BuiltInCeiling::None);
            policy.refuses_nonsensitive().is_some()
        });
        match expected {
            Ok(refuses) => assert_eq!(found.unwrap(), refuses),
            Err(message) => assert_eq!(found.unwrap_err()[0].message, message),
        }
    }

    #[test]
    fn an_operator_can_refuse_functions() {
        check("{}", Ok(false));
        check("{nonsensitive: allow}", Ok(false));
        check("{nonsensitive: refuse, missing: keep}", Ok(true));
        check(
            "{nonsensitive: error}",
            Err("invalid value `error` for `nonsensitive`"),
        );
        check("{outputs: []}", Err("unknown key `outputs` in `spec`"));
    }
}
