//! Values that the format `dotenv` accepts, read by a shell, the reader that finds most in
//! them.

use std::process::Command;

use landfall::{Request, Rule};

use crate::render::{render, request};
use crate::strings::strings;
use crate::tree::{self, Tree};

/// Returns a request with a document of the format.
fn bound(document: &str) -> Request {
    let mut request = request(document.into());
    request.outputs[0].format = Some("dotenv".to_owned());
    request
}

/// Returns the output `A`; `None` if the document is refused.
fn value_of_a(document: &str) -> Option<String> {
    let rendered = render(b"\"${infra.A | json}\"", &bound(document));
    let rendered = match rendered {
        Ok(rendered) => rendered.output,
        Err(found) => {
            let is_refused = |rule| rule == Rule::InvalidOutputs || rule == Rule::EmptyOutput;
            assert!(found.iter().all(|one| is_refused(one.rule)), "{found:?}");
            return None;
        }
    };
    let read = tree::read(std::str::from_utf8(&rendered).unwrap()).unwrap();
    let [Tree::Text(json)] = &read[..] else {
        panic!("{read:?}");
    };
    Some(serde_json::from_str(json).unwrap())
}

fn value_in_a_shell(document: &str) -> String {
    let script = "eval \"$1\"; printf '%s:%s' \"$A\" \"$B\"";
    let run = Command::new("sh")
        .args(["-c", script, "sh", document])
        .output();
    String::from_utf8_lossy(&run.unwrap().stdout).into_owned()
}

#[test]
fn accepted_values_are_those_of_a_shell() {
    let special = [
        "a;b", "$HOME", "${HOME}", "a\\\\b", "a\\", "`a`", "~", "a b", "a#b", "#", "*", "a\\nb",
        "{a,b}",
    ];
    let all = strings();
    let strings = all.iter().step_by(40).map(String::as_str);
    let (mut wrong, mut read) = (Vec::new(), 0);
    for text in strings.chain(special) {
        for quote in ["", "'", "\""] {
            for end in ["", " # c", "#c", "\r"] {
                let document = format!("A={quote}{text}{quote}{end}\nB=b\n");
                let Some(value) = value_of_a(&document) else {
                    continue;
                };
                read += 1;
                let found = value_in_a_shell(&document);
                if found != format!("{value}:b") {
                    wrong.push(format!("{document:?}: {value:?}, in a shell {found:?}"));
                }
            }
        }
    }
    assert!(read > 50, "{read}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
