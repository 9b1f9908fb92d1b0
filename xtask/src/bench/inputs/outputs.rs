//! The infra outputs that every text refers to.

use super::random::Random;

/// The applications that infrastructure was made for.
const SERVICES: [&str; 10] = [
    "billing",
    "checkout",
    "external_dns",
    "grafana",
    "karpenter",
    "ledger",
    "orders",
    "payments",
    "search",
    "velero",
];

/// What each of them has. [`Outputs::find`] and `app.yaml` use these names.
const THINGS: [&str; 5] = [
    "bucket",
    "endpoint",
    "queue_url",
    "role_arn",
    "security_group_id",
];

/// One output: a string that is the same text in every place of YAML, so that a
/// substitution of text and one of YAML have the same answer.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    /// As Terraform names it.
    pub(crate) name: String,
    /// As an environment variable is named.
    pub(crate) variable: String,
    pub(crate) value: String,
}

/// All outputs, in the order of their names.
#[derive(Clone, Debug)]
pub(crate) struct Outputs(Vec<Output>);

impl Outputs {
    pub(super) fn new(random: &mut Random) -> Self {
        let mut all = Vec::with_capacity(SERVICES.len() * THINGS.len());
        for service in SERVICES {
            for thing in THINGS {
                let name = format!("{service}_{thing}");
                all.push(Output {
                    variable: name.to_uppercase(),
                    value: value(service, thing, random),
                    name,
                });
            }
        }
        Self(all)
    }

    /// All of them.
    pub(crate) fn all(&self) -> &[Output] {
        &self.0
    }

    /// The output for `thing` of some service.
    pub(super) fn pick(&self, thing: &str, random: &mut Random) -> Option<&Output> {
        let thing = THINGS.iter().position(|name| *name == thing)?;
        self.0
            .get(random.below(SERVICES.len()) * THINGS.len() + thing)
    }

    /// What `terraform output -json` prints.
    pub(crate) fn document(&self) -> String {
        let entries: Vec<String> = self
            .0
            .iter()
            .map(|Output { name, value, .. }| {
                format!(
                    "  \"{name}\": {{\n    \"sensitive\": false,\n    \"type\": \"string\",\n    \"value\": \"{value}\"\n  }}"
                )
            })
            .collect();
        format!("{{\n{}\n}}\n", entries.join(",\n"))
    }
}

/// No digit first, no quotes, no blanks, no `$`, `#` or `: `.
fn value(service: &str, thing: &str, random: &mut Random) -> String {
    let service = service.replace('_', "-");
    match thing {
        "bucket" => format!("acme-{service}-{}", random.hex(8)),
        "endpoint" => format!("{service}.{}.eu-west-1.rds.amazonaws.com", random.hex(12)),
        "queue_url" => format!("https://sqs.eu-west-1.amazonaws.com/412345678901/{service}"),
        "role_arn" => format!("arn:aws:iam::412345678901:role/acme-{service}"),
        _ => format!("sg-0{}", random.hex(16)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Outputs, Random};

    #[test]
    fn a_document_like_terraforms() {
        let document = Outputs::new(&mut Random::new(1)).document();
        assert!(
            document.starts_with("{\n  \"billing_bucket\": {\n    \"sensitive\": false,\n    \"type\": \"string\",\n    \"value\": \"acme-billing-"),
            "{document}"
        );
        assert!(document.ends_with("\"\n  }\n}\n"), "{document}");
    }

    #[test]
    fn fifty_outputs_in_the_order_of_their_names() {
        let outputs = Outputs::new(&mut Random::new(1));
        assert_eq!(outputs.all().len(), 50);
        assert!(outputs.all().is_sorted_by_key(|output| &output.name));
    }
}
