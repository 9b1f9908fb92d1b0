//! Texts whose offsets are hard to count, and inputs that are hard to accept.

use landfall::{Config, OutputsDocument, Request};

use crate::cases::{Case, everywhere};

const INFRA: &str = r#"{
  "größe": {"sensitive": false, "type": "string", "value": "x"},
  "emoji": {"sensitive": false, "type": "string", "value": "😀\u00e9"},
  "list": {"sensitive": false, "type": "dynamic", "value": [{"a": 1}, {"b": "two\nlines"}]},
  "secret": {"sensitive": true, "type": "string", "value": "hunter2"},
  "port": {"sensitive": false, "type": "number", "value": 5432}
}"#;

fn bound(name: &str, content: impl Into<Vec<u8>>) -> OutputsDocument {
    OutputsDocument {
        name: name.to_owned(),
        path: format!("{name}.json"),
        content: content.into(),
        ..OutputsDocument::default()
    }
}

fn case(name: &str, manifest: impl Into<Vec<u8>>, outputs: Vec<OutputsDocument>) -> Case {
    let manifest = manifest.into();
    Case {
        name: name.to_owned(),
        completed: everywhere(&manifest),
        manifests: vec![("a.yaml".to_owned(), manifest)],
        request: Request {
            outputs,
            ..Request::default()
        },
    }
}

pub(crate) fn cases() -> Vec<Case> {
    let infra = || vec![bound("infra", INFRA)];
    let lines = "ключ: \"${infra.emoji} 😀 ${infra[\"größe\"]}\" # 😀\nport: ${infra.port}\nlist: ${infra.list} # behind\n";
    let wrong = "ключ: \"😀 ${infra.emojy}\"\nb: ${infra.emoji\n";
    let crlf = |text: &str| text.replace('\n', "\r\n");
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: ä}\nstringData:\n  😀: a-${infra.secret}-b-${infra.emoji}\n  c: '${infra.secret}''${infra.port}'\n";
    let embedded = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ä}\ndata:\n  a.yaml: |\n    😀: ${infra.emoji}\n    b: [\"${infra.port}\", ${infra.list}]\n";
    let setters = "ключ: old # landfall: ${infra.emoji}\nsame: x # landfall: ${infra[\"größe\"]}\nlist: # landfall: ${infra.list}\n  - 😀\n";
    let mut cases = vec![
        case("non-ASCII and astral characters", lines, infra()),
        case("CRLF", crlf(lines), infra()),
        case("a byte order mark", format!("\u{feff}{lines}"), infra()),
        case(
            "a byte order mark and CRLF",
            format!("\u{feff}{}", crlf(lines)),
            infra(),
        ),
        case("lone carriage returns", lines.replace('\n', "\r"), infra()),
        case("errors after astral characters", wrong, infra()),
        case("errors in CRLF", crlf(wrong), infra()),
        case("a secret", secret, infra()),
        case("an embedded document", embedded, infra()),
        case("setter comments", setters, infra()),
        case("setter comments in CRLF", crlf(setters), infra()),
        case(
            "outputs with a byte order mark",
            "a: ${infra.emojy}\n",
            vec![bound("infra", format!("\u{feff}{INFRA}"))],
        ),
        case(
            "outputs in CRLF",
            "a: ${infra.emojy}\n",
            vec![bound("infra", crlf(INFRA))],
        ),
        case(
            "a manifest that is not UTF-8",
            b"\xC3\xA4: ${infra.port} \xFF\n".to_vec(),
            infra(),
        ),
        case(
            "outputs that are not UTF-8",
            "a: ${infra.x}\n",
            vec![bound("infra", b"{\xFF".to_vec())],
        ),
        case(
            "outputs that are not JSON",
            "a: ${infra.x}\n",
            vec![bound("infra", "😀{")],
        ),
        case(
            "outputs that are empty",
            "a: ${infra.x}\n",
            vec![bound("infra", "")],
        ),
        case("a manifest that is empty", "", infra()),
        case("a reference that is open", "a: ${", infra()),
        case("no outputs", "a: ${infra.x}\n", Vec::new()),
        case(
            "one document twice",
            "a: ${infra.port}\n",
            vec![bound("infra", INFRA), bound("infra", INFRA)],
        ),
        many_outputs(),
        Case {
            name: "nothing at all".to_owned(),
            ..Case::default()
        },
    ];
    let mut broken = case("a Binding that is not YAML", "a: 1\n", infra());
    broken.request.configure(|configuration| {
        configuration.binding = Some(Config {
            path: "landfall.yaml".to_owned(),
            content: "😀: [".into(),
        });
    });
    cases.push(broken);
    let mut flags = case("a policy that does not exist", "a: 1\n", infra());
    flags.request.configure(|configuration| {
        configuration.policy = Some(Config {
            path: "policy".to_owned(),
            content: "unused: sometimes\n".into(),
        });
    });
    cases.push(flags);
    let mut kept = case("setter comments alone", setters, infra());
    kept.request.keep_references = true;
    cases.push(kept);
    let mut sensitive = case("a document out of a Secret", secret, infra());
    sensitive.request.outputs[0].sensitive = true;
    cases.push(sensitive);
    cases
}

fn many_outputs() -> Case {
    use std::fmt::Write as _;
    let (mut outputs, mut manifest) = ("{".to_owned(), String::new());
    for nth in 0..10_000 {
        let comma = if nth == 0 { "" } else { "," };
        let _ = write!(
            outputs,
            "{comma}\n  \"name_{nth}\": {{\"sensitive\": false, \"type\": \"string\", \"value\": \"вещь-{nth}\"}}"
        );
        let _ = writeln!(manifest, "😀{nth}: ${{infra.name_{nth}}}");
    }
    outputs.push_str("\n}\n");
    let mut case = case("10,000 outputs", manifest, vec![bound("infra", outputs)]);
    case.completed = vec![(0, 8), (0, 16)];
    case
}
