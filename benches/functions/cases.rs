//! One call of every function, on a typical output.

/// A reference: an output, and the call on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) output: &'static str,
    /// `None` for the reference without a call.
    pub(crate) call: Option<&'static str>,
}

impl Case {
    /// Returns the reference as it is written in a manifest.
    pub(crate) fn reference(self) -> String {
        match self.call {
            Some(call) => format!("${{infra.{} | {call}}}", self.output),
            None => format!("${{infra.{}}}", self.output),
        }
    }

    /// Returns the function's name.
    pub(crate) fn function(self) -> Option<&'static str> {
        let call = self.call?;
        Some(call.split_once('(').map_or(call, |(name, _)| name))
    }
}

/// The baseline: a string, written unchanged.
pub(crate) const PLAIN: Case = alone("name");

/// References without a function, the plain one first: a list and an object cost
/// more because more is written.
pub(crate) const ALONE: [Case; 3] = [PLAIN, alone("subnets"), alone("tags")];

/// One for each function, in the order of `docs/language/functions.md`.
pub(crate) const CALLS: &[Case] = &[
    call("missing", "default(\"none\")"),
    call("name", "required(\"name the bucket\")"),
    call("password", "nonsensitive"),
    call("count", "string"),
    call("digits", "number"),
    call("flag", "bool"),
    call("name", "verbatim"),
    call("name", "lower"),
    call("name", "upper"),
    call("name", "title"),
    call("padded", "trim"),
    call("name", "trim_prefix(\"assets-\")"),
    call("name", "trim_suffix(\"-prod\")"),
    call("name", "prefix(\"s3-\")"),
    call("name", "suffix(\"-logs\")"),
    call("name", "replace(\"-\", \"_\")"),
    call("name", "substring(0, 6)"),
    call("name", "split(\"-\")"),
    call("lines", "indent(4)"),
    call("subnets", "join(\",\")"),
    call("subnets", "first"),
    call("subnets", "last"),
    call("subnets", "at(1)"),
    call("subnets", "sort"),
    call("subnets", "unique"),
    call("gaps", "compact"),
    call("subnets", "concat(infra.gaps)"),
    call("subnets", "each(upper)"),
    call("tags", "get(\"team\")"),
    call("tags", "keys"),
    call("tags", "values"),
    call("tags", "pairs(\"=\")"),
    call("name", "object(\"bucket\", \"name\")"),
    call("subnets", "length"),
    call("subnets", "spread"),
    call("tags", "json"),
    call("tags", "yaml"),
    call("json", "json_decode"),
    call("json", "yaml_decode"),
    call("name", "quote"),
    call("name", "base64"),
    call("encoded", "base64_decode"),
    call("name", "base64url"),
    call("name", "sha256"),
    call("name", "hex"),
    call("url", "url_encode"),
    call("role", "arn(\"account\")"),
    call("network", "cidr_host(10)"),
    call("url", "hostname"),
    call("url", "port"),
];

/// `terraform output -json` of what the cases name; `missing` is missing.
pub(crate) const OUTPUTS: &str = r#"{
  "name": {"sensitive": false, "value": "assets-eu-west-1-prod"},
  "padded": {"sensitive": false, "value": "  assets-eu-west-1-prod\n"},
  "lines": {"sensitive": false, "value": "first line\nsecond line\nthird line"},
  "count": {"sensitive": false, "value": 3},
  "digits": {"sensitive": false, "value": "8080"},
  "flag": {"sensitive": false, "value": "true"},
  "json": {"sensitive": false, "value": "{\"zones\": [\"a\", \"b\"]}"},
  "encoded": {"sensitive": false, "value": "YXNzZXRzLWV1LXdlc3QtMS1wcm9k"},
  "password": {"sensitive": true, "value": "assets-eu-west-1-prod"},
  "subnets": {"sensitive": false, "value": ["subnet-0c", "subnet-0a", "subnet-0b"]},
  "gaps": {"sensitive": false, "value": ["subnet-0d", "", null]},
  "tags": {"sensitive": false, "value": {"team": "shop", "env": "prod", "tier": "web"}},
  "role": {"sensitive": false, "value": "arn:aws:iam::012345678901:role/karpenter"},
  "network": {"sensitive": false, "value": "10.20.0.0/16"},
  "url": {"sensitive": false, "value": "https://db.example.org:5432/shop?ssl=on"}
}"#;

const fn alone(output: &'static str) -> Case {
    Case { output, call: None }
}

const fn call(output: &'static str, call: &'static str) -> Case {
    Case {
        output,
        call: Some(call),
    }
}
