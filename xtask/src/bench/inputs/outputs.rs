//! The outputs of `infra` that all texts refer to.

use super::random::Random;

/// The applications that the infrastructure is for.
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

/// The outputs of each of them. [`Outputs::find`] and `app.yaml` use these names.
const THINGS: [&str; 5] = [
    "bucket",
    "endpoint",
    "queue_url",
    "role_arn",
    "security_group_id",
];

/// One output: a string that is written the same in every context of YAML, so that
/// substituting text and substituting in YAML give the same result.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    /// The name in Terraform.
    pub(crate) name: String,
    /// The name as an environment variable.
    pub(crate) variable: String,
    pub(crate) value: String,
}

/// All outputs, sorted by name.
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

    /// Returns all outputs.
    pub(crate) fn all(&self) -> &[Output] {
        &self.0
    }

    /// Returns the output for `thing` of a random service.
    pub(super) fn pick(&self, thing: &str, random: &mut Random) -> Option<&Output> {
        let thing = THINGS.iter().position(|name| *name == thing)?;
        self.0
            .get(random.below(SERVICES.len()) * THINGS.len() + thing)
    }

    /// Returns what `terraform output -json` prints.
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

/// Returns a value without a leading digit, quotes, whitespace, `$`, `#` or `: `.
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
