//! Any text as the expression of a reference, in every kind of scalar. The first byte chooses
//! another dialect, in which it is one, too.
#![no_main]

use landfall::{Config, Configuration, DialectTokens, Request, dialect_tokens};
use landfall_fuzz::{OUTPUTS, render, request, survives};

libfuzzer_sys::fuzz_target!(|input: (u8, &str)| {
    let (dialect, expression) = input;
    let dialects: Vec<_> = dialect_tokens().collect();
    let DialectTokens {
        id,
        opener,
        closer,
        setter,
        ..
    } = dialects[usize::from(dialect) % dialects.len()];
    let policy = Config {
        path: String::new(),
        content: format!("dialect: {id}").into(),
    };
    let configuration = Configuration {
        policy: Some(policy),
        ..Configuration::default()
    };
    let request = Request {
        application: configuration.into(),
        ..request(OUTPUTS)
    };
    for (before, after) in [
        ("a: ", "\n"),
        ("a: \"", "\"\n"),
        ("a: '", "'\n"),
        ("a: |\n  ", "\n"),
        ("[", ", b]\n"),
        ("", ": b\n"),
        ("a: $", "\n"),
    ] {
        let manifest = format!("{before}${{infra.{expression}}}{after}");
        survives(manifest.as_bytes(), OUTPUTS);
        let manifest = format!("{before}{opener}{expression}{closer}{after}");
        let _ = render(manifest.as_bytes(), &request);
    }
    let manifest = format!("a: b # {setter} {opener}{expression}{closer}\n");
    let _ = render(manifest.as_bytes(), &request);
});
