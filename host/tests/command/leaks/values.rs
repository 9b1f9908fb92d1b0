//! Values that occur nowhere else: each has random letters or digits in all of its parts.

use landfall_test_support::seed::Sequence;
use serde_json::{Value as Json, json};

/// Makes values, and records the parts that must not be shown.
pub(crate) struct Canaries {
    sequence: Sequence,
    /// Text without any fixed part.
    pub(crate) tokens: Vec<String>,
    /// Those that are keys of sensitive objects.
    pub(crate) keys: Vec<String>,
}

impl Canaries {
    pub(crate) fn new(number: u64) -> Self {
        Self {
            sequence: Sequence::new(number),
            tokens: Vec::new(),
            keys: Vec::new(),
        }
    }

    /// Returns random letters, and a digit so that `adopt` takes it for a value.
    pub(crate) fn token(&mut self) -> String {
        let letters = self.random("abcdefghijklmnopqrstuvwxyz", 14);
        self.tokens.push(letters.clone());
        letters + "-7"
    }

    /// Returns a key.
    pub(crate) fn key(&mut self) -> String {
        let letters = self.random("abcdefghijklmnopqrstuvwxyz", 14);
        self.keys.push(letters.clone());
        letters
    }

    /// Returns a number with 15 digits, which every reader keeps.
    fn number(&mut self) -> Json {
        let digits = self.random("123456789", 15);
        let number = serde_json::from_str(&digits).unwrap();
        self.tokens.push(digits);
        number
    }

    fn random(&mut self, from: &str, length: usize) -> String {
        let bytes = (0..length).map(|_| self.sequence.pick(from.as_bytes()));
        String::from_utf8(bytes.collect()).unwrap()
    }

    /// Returns strings whose characters mean something in one of the formats of documents,
    /// manifests or reports.
    pub(crate) fn strings(&mut self) -> Vec<(&'static str, Json)> {
        let mut text = |template: &str| {
            let parts: Vec<_> = template.split('@').map(str::to_owned).collect();
            let mut text = parts[0].clone();
            for part in &parts[1..] {
                text.push_str(&self.token());
                text.push_str(part);
            }
            Json::from(text)
        };
        vec![
            ("password", text("@")),
            ("reserved", text("@\"'\\@: #@<&>|`@`\t%@\u{e9}@\u{1f600}@")),
            (
                "lines",
                text("-----BEGIN KEY-----\n@@\n@@\n-----END KEY-----\n"),
            ),
            ("url", text("https://@:@@@.example/@?@=@#@")),
            ("json", text("{\"@\": [\"@\", {\"@\": \"@\"}]}")),
            (
                "reference",
                text("${infra.@ | default(\"@\")} # landfall: ${infra.@}"),
            ),
        ]
    }

    /// Returns values of all types. The keys of objects are random too.
    pub(crate) fn values(&mut self) -> Vec<(&'static str, Json)> {
        let mut values = self.strings();
        let deep = json!({
            self.key(): self.token(),
            self.key(): [self.token(), {self.key(): self.number()}],
        });
        values.push(("object", json!({"host": self.token(), "deep": deep})));
        values.push(("list", json!([self.token(), self.token()])));
        values.push(("number", self.number()));
        values
    }
}
