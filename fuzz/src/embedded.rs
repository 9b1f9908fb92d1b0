//! Documents in scalars of other documents: entries of a ConfigMap, an Argo CD
//! Application's Helm values. Whatever they contain, the document around them
//! keeps its bytes and its tree, and what was a document in them still is one.

use serde_yaml::Value;

use crate::{OUTPUTS, render, request, tokens, yaml};

/// How a document is embedded in another one.
#[derive(Clone, Copy, Debug)]
struct Form {
    /// Everything before the key, with its indentation.
    before: &'static str,
    key: &'static str,
    style: Style,
    after: &'static str,
    /// The keys that lead to the mapping with the key.
    parents: &'static [&'static str],
    language: Language,
}

#[derive(Clone, Copy, Debug)]
enum Style {
    /// A literal block with so many spaces before each line, all line breaks kept.
    Literal(usize),
    DoubleQuoted,
}

#[derive(Clone, Copy, Debug)]
enum Language {
    Yaml,
    Json,
}

const CONFIG_MAP: Form = Form {
    before: "# ${infra.x}
apiVersion: v1
kind: ConfigMap
metadata: {name: 'web', labels: {a: \"b\"}} # ${infra.l}
data:
  before: |
    text # no comment
  ",
    key: "app.yaml",
    style: Style::Literal(4),
    after: "  behind: >-
    folded

    text
immutable:   false # ${infra.o}
",
    parents: &["data"],
    language: Language::Yaml,
};

const APPLICATION: Form = Form {
    before: "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web}
spec:
  source:
    helm:
      ",
    key: "values",
    style: Style::Literal(8),
    after: "      releaseName:  \"web\" # ${infra.x}
    path: charts/web
",
    parents: &["spec", "source", "helm"],
    language: Language::Yaml,
};

const FORMS: [Form; 5] = [
    CONFIG_MAP,
    Form {
        style: Style::DoubleQuoted,
        ..CONFIG_MAP
    },
    Form {
        key: "app.json",
        language: Language::Json,
        ..CONFIG_MAP
    },
    Form {
        key: "app.json",
        language: Language::Json,
        style: Style::DoubleQuoted,
        ..CONFIG_MAP
    },
    APPLICATION,
];

/// Renders `text` in every form. `@x` in it means `${infra.x}`.
///
/// # Panics
/// The answer does not hold together, or the document around it suffered.
pub fn survives(text: &str) {
    for form in FORMS {
        form.survives(text);
    }
}

impl Form {
    fn survives(self, text: &str) {
        let inner = tokens::references(text);
        let scalar = self.scalar(&inner);
        let manifest = format!("{}{}: {scalar}{}", self.before, self.key, self.after);
        // What is not allowed in such a scalar makes another document.
        let Some((rest, held)) = self.taken_apart(&manifest) else {
            return;
        };
        if held.trim_end_matches('\n') != inner.trim_end_matches('\n') {
            return;
        }
        let Some(rendered) = render(manifest.as_bytes(), &request(OUTPUTS)) else {
            return;
        };
        let start = self.before.len() + self.key.len() + ": ".len();
        let end = start + scalar.len();
        for edit in &rendered.edits {
            assert!(
                start <= edit.span.start && edit.span.end <= end,
                "{}..{} is outside of the scalar, {start}..{end}, in\n{manifest}",
                edit.span.start,
                edit.span.end
            );
        }
        let output = &rendered.output;
        let Some((rest_after, held)) = self.taken_apart(output) else {
            panic!("broken by a value:\n{manifest}\n{output}");
        };
        assert_eq!(rest, rest_after, "{manifest}\n{output}");
        // Where a reference is all of it, its value is the document.
        let is_value = matches!(text.trim().as_bytes(), [b'@', _]);
        if !is_value && self.language.was_read(text) {
            assert!(
                self.language.is_read(&held),
                "broken by a value:\n{inner}\n{held}"
            );
        }
    }

    /// The scalar with all its lines, in the document's own text.
    fn scalar(self, text: &str) -> String {
        match self.style {
            Style::Literal(spaces) => {
                let indentation = " ".repeat(spaces);
                let lines = text
                    .split('\n')
                    .map(|line| format!("{indentation}{line}\n"));
                // Two more than the mapping's, whatever the first line begins with.
                format!("|2+\n{}", lines.collect::<String>())
            }
            // Every string of JSON is one of YAML.
            Style::DoubleQuoted => format!("{}\n", serde_json::Value::from(text)),
        }
    }

    /// The tree without the scalar, and what the scalar holds; none when the
    /// document does not parse. Every key around it comes through.
    fn taken_apart(self, manifest: &str) -> Option<(Value, String)> {
        let mut tree = yaml::document(manifest)?;
        let mut mapping = &mut tree;
        for parent in self.parents {
            mapping = mapping.get_mut(parent)?;
        }
        let Value::String(held) = mapping.as_mapping_mut()?.remove(self.key)? else {
            return None;
        };
        Some((tree, held))
    }
}

impl Language {
    /// Whether the text is a document, but for its references.
    fn was_read(self, text: &str) -> bool {
        let text = match self {
            Self::Yaml => tokens::words(text),
            Self::Json => tokens::numbers(text),
        };
        text.is_some_and(|text| self.is_read(&text))
    }

    fn is_read(self, text: &str) -> bool {
        match self {
            Self::Yaml => yaml::documents(text).is_some(),
            Self::Json => serde_json::from_str::<serde_json::Value>(text).is_ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FORMS;

    /// Else the target would look at nothing.
    #[test]
    fn documents_are_embedded_in_every_form() {
        for form in FORMS {
            for text in [
                "a: 1\n",
                "{\"a\": [\"${infra.x}\"]}",
                " a:\n   - b # c\n\n",
                "",
            ] {
                let scalar = form.scalar(text);
                let manifest = format!("{}{}: {scalar}{}", form.before, form.key, form.after);
                let (rest, held) = form.taken_apart(&manifest).unwrap();
                assert_eq!(held.trim_end_matches('\n'), text.trim_end_matches('\n'));
                assert!(rest.get("kind").is_some(), "{rest:?}");
            }
        }
    }
}
