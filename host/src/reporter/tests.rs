use landfall_sandbox::types::{
    Counts, Diagnostic, Edit, Findings, Fix, Label, Origin, ResourceRef, Severity, Span,
};
use landfall_test_support::seed::Sequence;
use snapbox::{IntoData, assert_data_eq, str};

use super::Reporter;
use crate::draw::{Document, Documents};
use crate::engine::Halted;
use crate::problem::{HostRule, Problem};
use crate::settings::{ReportSettings, Verbosity};

const PLAIN: ReportSettings = ReportSettings {
    verbosity: Verbosity::Normal,
    unused_notes: true,
    strict: false,
    color: false,
};

fn label(origin: Origin, document: &str, text: &str, message: &str) -> Label {
    let start = document.find(text).expect("the text") as u32;
    let span = Span {
        origin,
        start,
        end: start + text.len() as u32,
    };
    Label {
        span,
        message: message.to_owned(),
        conceal: false,
    }
}

fn error(rule: &str, message: &str, labels: Vec<Label>) -> Diagnostic {
    Diagnostic {
        rule: rule.to_owned(),
        topic: None,
        severity: Severity::Error,
        message: message.to_owned(),
        labels,
        help: None,
        fixes: Vec::new(),
        resource: None,
        field: None,
    }
}

fn draw(documents: &Documents<'_>, diagnostics: &[Diagnostic]) -> String {
    let mut reporter = Reporter::new(PLAIN);
    reporter.add(documents, diagnostics);
    reporter.finish("nothing was rendered")
}

fn manifest(content: &str) -> Documents<'_> {
    Documents {
        manifests: vec![Document {
            path: "apps/web.yaml",
            content: content.as_bytes(),
        }],
        ..Documents::default()
    }
}

#[test]
fn conceals_the_lines_of_manifests() {
    let source = "args: [--token=s3cr3t, \"${infra.vpc}\"]\n";
    let labels = vec![label(Origin::Manifest(0), source, "vpc", "no such output")];
    let mut reporter = Reporter::new(PLAIN);
    reporter.conceal_manifests();
    reporter.add(
        &manifest(source),
        &[error(
            "unknown-output",
            "`infra` has no output `vpc`",
            labels,
        )],
    );
    assert_data_eq!(
        reporter.finish("nothing was adopted"),
        str![[r#"
error[unknown-output]: `infra` has no output `vpc`
 --> apps/web.yaml:1:33
  |
1 | …vpc…
  |  ^^^ no such output

error: 1 error; nothing was adopted

"#]]
        .raw()
    );
}

#[test]
fn draws_both_documents_the_resource_and_the_fix() {
    let source = "kind: Deployment\nspec:\n  vpc: ${infra.vpc_idx}\n";
    let outputs = "{\n  \"vpc_id\": {\"value\": \"vpc-0ab1\"}\n}\n";
    let documents = Documents {
        outputs: vec![Document {
            path: "infra.json",
            content: outputs.as_bytes(),
        }],
        ..manifest(source)
    };
    let mut diagnostic = error(
        "unknown-output",
        "`infra` has no output `vpc_idx`",
        vec![
            label(Origin::Manifest(0), source, "vpc_idx", "no such output"),
            label(
                Origin::Outputs(0),
                outputs,
                "\"vpc_id\"",
                "this one has nearly that name",
            ),
        ],
    );
    diagnostic.resource = Some(ResourceRef {
        api_version: "apps/v1".into(),
        kind: "Deployment".into(),
        name: "web".into(),
        namespace: "shop".into(),
    });
    diagnostic.field = Some("spec.vpc".into());
    diagnostic.help = Some("bound from infra.json".into());
    let start = source.find("vpc_idx").unwrap() as u32;
    diagnostic.fixes = vec![Fix {
        title: "write the output's name".into(),
        target: Origin::Manifest(0),
        edits: vec![Edit {
            start,
            end: start + 7,
            text: b"vpc_id".to_vec(),
        }],
    }];
    assert_data_eq!(
        draw(&documents, &[diagnostic]),
        str![[r#"
error[unknown-output]: `infra` has no output `vpc_idx`
 --> apps/web.yaml:3:16
  |
3 |   vpc: ${infra.vpc_idx}
  |                ^^^^^^^ no such output
  |
 ::: infra.json:2:3
  |
2 | …"vpc_id"…
  |  -------- this one has nearly that name
  |
  = note: in Deployment web (namespace shop), field spec.vpc
  = help: bound from infra.json
help: write the output's name
  |
3 -   vpc: ${infra.vpc_idx}
3 +   vpc: ${infra.vpc_id}
  |

error: 1 error; nothing was rendered

"#]]
        .raw()
    );
}

#[test]
fn columns_of_a_shortened_line_are_those_of_the_document() {
    let source = format!(
        "\u{feff}a: 1\r\n\"ключ\":\t{} ${{x.y}} {}\r\n",
        "ж".repeat(300),
        "z".repeat(300)
    );
    let found = error(
        "r",
        "m",
        vec![label(Origin::Manifest(0), &source, "${x.y}", "here")],
    );
    let drawn = draw(&manifest(&source), &[found]);
    assert!(drawn.contains(" apps/web.yaml:2:310\n"), "{drawn}");
    assert!(
        drawn.lines().all(|line| line.chars().count() < 200),
        "{drawn}"
    );
    assert!(drawn.contains("^^^^^^ here"), "{drawn}");
}

#[test]
fn shows_only_the_span_of_a_concealed_line() {
    let source =
        "stringData:\n  before: hunter1\n  a: hunter2 ${infra.pw} hunter3\n  after: hunter4\n";
    let mut concealed = label(Origin::Manifest(0), source, "${infra.pw}", "here");
    concealed.conceal = true;
    let mut found = error("r", "m", vec![concealed]);
    found.fixes = vec![Fix {
        title: "do this".into(),
        target: Origin::Manifest(0),
        edits: vec![Edit {
            start: 32,
            end: 34,
            text: b"x".to_vec(),
        }],
    }];
    let drawn = draw(&manifest(source), &[found]);
    assert!(!drawn.contains("hunter"), "{drawn}");
    assert_data_eq!(
        drawn,
        str![[r#"
error[r]: m
 --> apps/web.yaml:3:14
  |
3 | …${infra.pw}…
  |  ^^^^^^^^^^^ here
  |
help: do this

error: 1 error; nothing was rendered

"#]]
        .raw()
    );
}

#[test]
fn outputs_documents_are_always_concealed() {
    let outputs = "{\"pw\": {\"value\": \"hunter2\"}}";
    let documents = Documents {
        outputs: vec![Document {
            path: "infra.json",
            content: outputs.as_bytes(),
        }],
        ..Documents::default()
    };
    let found = error(
        "r",
        "m",
        vec![label(Origin::Outputs(0), outputs, "\"pw\"", "")],
    );
    let drawn = draw(&documents, &[found]);
    assert!(
        drawn.contains("infra.json:1:2") && !drawn.contains("hunter2"),
        "{drawn}"
    );
}

#[test]
fn shows_only_the_location_if_the_line_is_not_utf_8() {
    let documents = Documents {
        manifests: vec![Document {
            path: "a.yaml",
            content: b"a: 1\nb: \xff\n",
        }],
        ..Documents::default()
    };
    let span = Span {
        origin: Origin::Manifest(0),
        start: 8,
        end: 9,
    };
    let found = error(
        "not-utf-8",
        "the file is not UTF-8",
        vec![Label {
            span,
            message: "this byte".into(),
            conceal: false,
        }],
    );
    assert_data_eq!(
        draw(&documents, &[found]),
        str![[r#"
error[not-utf-8]: the file is not UTF-8
--> a.yaml:2:4
 = note: this byte

error: 1 error; nothing was rendered

"#]]
        .raw()
    );
}

#[test]
fn draws_findings_without_a_location() {
    let mut found = error("input-too-large", "too large", Vec::new());
    found.help = Some("raise --max-input".into());
    assert_data_eq!(
        draw(&Documents::default(), &[found]),
        str![[r#"
error[input-too-large]: too large
 |
 = help: raise --max-input

error: 1 error; nothing was rendered

"#]]
        .raw()
    );
}

#[test]
fn ignores_spans_outside_the_documents() {
    let source = "a: 1\n";
    let spans = [
        (Origin::Manifest(0), 900, 950),
        (Origin::Manifest(7), 0, 1),
        (Origin::Parameters, 0, 3),
        (Origin::Binding, 4, 2),
    ];
    for (origin, start, end) in spans {
        let label = Label {
            span: Span { origin, start, end },
            message: "\u{1b}[2J".into(),
            conceal: false,
        };
        let mut found = error("r", "m\u{1b}[2J", vec![label]);
        found.fixes = vec![Fix {
            title: "t".into(),
            target: origin,
            edits: vec![Edit {
                start,
                end,
                text: vec![0xff],
            }],
        }];
        assert!(!draw(&manifest(source), &[found]).contains('\u{1b}'));
    }
}

#[test]
fn shortens_a_line_of_megabytes() {
    let mut source = "x".repeat(8 << 20);
    source.push_str("${x.y}\n");
    let found = error(
        "r",
        "m",
        vec![label(Origin::Manifest(0), &source, "${x.y}", "here")],
    );
    let drawn = draw(&manifest(&source), &[found]);
    assert!(drawn.len() < 1000, "{}", drawn.len());
    assert!(drawn.contains("apps/web.yaml:1:8388609\n"), "{drawn}");
}

#[test]
fn counts_errors_that_are_not_shown() {
    let source = "a: ${x.y}\n";
    let found = error(
        "r",
        "m",
        vec![label(Origin::Manifest(0), source, "${x.y}", "")],
    );
    let many = vec![found; 120];
    let drawn = draw(&manifest(source), &many);
    assert_eq!(drawn.matches("error[r]").count(), 50);
    assert!(
        drawn.ends_with(
            "error: 120 errors, the first 50 are shown (-v shows all); nothing was rendered\n"
        ),
        "{drawn}"
    );

    let mut all = Reporter::new(ReportSettings {
        verbosity: Verbosity::Verbose,
        ..PLAIN
    });
    all.add(&manifest(source), &many);
    let all = all.finish("");
    assert_eq!(all.matches("error[r]").count(), 120);
    assert!(all.ends_with("error: 120 errors\n"), "{all}");
}

#[test]
fn a_run_with_errors_has_no_result() {
    let warning = Diagnostic {
        severity: Severity::Warning,
        ..error("w", "m", Vec::new())
    };
    let found = |diagnostics: &[Diagnostic], errors| Findings {
        diagnostics: diagnostics.to_vec(),
        omitted: Counts {
            errors,
            ..Counts::default()
        },
        ..Findings::default()
    };
    let warnings = found(&[warning], 0);
    for (strict, found, has_result) in [
        (false, &warnings, true),
        (true, &warnings, false),
        (false, &found(&[], 1), false),
    ] {
        let mut reporter = Reporter::new(ReportSettings { strict, ..PLAIN });
        reporter.add_findings(&Documents::default(), found);
        assert_eq!(reporter.check().is_ok(), has_result, "{strict} {found:?}");
    }
    let mut reporter = Reporter::new(PLAIN);
    // A call that fails has an error, or the run would end without a message.
    let failed = reporter.fail(&Documents::default(), warnings);
    assert!(matches!(failed, Err(Halted::BrokenAnswer)));
    reporter.refuse(Problem::new(HostRule::MissingFile, "m".to_owned()));
    assert!(reporter.check().is_err());
}

#[test]
fn quiet_shows_errors_only() {
    let warning = Diagnostic {
        severity: Severity::Warning,
        ..error("w", "m", Vec::new())
    };
    let both = [warning, error("e", "m", Vec::new())];
    let mut quiet = Reporter::new(ReportSettings {
        verbosity: Verbosity::Quiet,
        ..PLAIN
    });
    quiet.add(&Documents::default(), &both);
    assert!(quiet.has_errors());
    let text = quiet.finish("nothing was rendered");
    assert!(
        !text.contains("warning[w]") && text.contains("error[e]"),
        "{text}"
    );
}

fn draw_causes(documents: &Documents<'_>, diagnostics: &[Diagnostic]) -> String {
    let mut reporter = Reporter::new(PLAIN);
    reporter.group("apps/web");
    reporter.add(documents, diagnostics);
    reporter.finish("nothing was rendered")
}

#[test]
fn groups_findings_by_cause_after_their_number_and_errors_before_warnings() {
    let source = "a: ${x.y}\nb: ${x.y}\nc: ${x.z}\n";
    let at = |text: &str| vec![label(Origin::Manifest(0), source, text, "")];
    let warning = Diagnostic {
        severity: Severity::Warning,
        ..error("unbound", "nothing is bound to `z`", at("c"))
    };
    let unknown = |name: &str, line: &str| Diagnostic {
        help: Some("the outputs are `ys` and `zs`".to_owned()),
        fixes: vec![Fix {
            title: format!("replace with `{name}s`"),
            target: Origin::Manifest(0),
            edits: Vec::new(),
        }],
        ..error(
            "unknown-output",
            &format!("`x` has no output `{name}`"),
            at(line),
        )
    };
    let found = [
        unknown("y", "a"),
        warning.clone(),
        unknown("y", "b"),
        warning,
        unknown("z", "c"),
        error("invalid-file", "not a file", Vec::new()),
    ];
    assert_data_eq!(
        draw_causes(&manifest(source), &found),
        str![[r#"
error: 4 errors in 1 file; nothing was rendered

error[unknown-output]: `x` has no output `y`
 --> apps/web.yaml:1:1
  |
1 | a: ${x.y}
  | ^
  |
  = help: the outputs are `ys` and `zs`
help: replace with `ys`
note: also at apps/web.yaml:2:1
note: apps/web.yaml:3:1: `x` has no output `z`: replace with `zs`

error[invalid-file]: not a file

warning[unbound]: nothing is bound to `z`
 --> apps/web.yaml:3:1
  |
3 | c: ${x.z}
  | ^
note: also at apps/web.yaml:3:1


"#]]
        .raw()
    );
}

#[test]
fn lists_five_places_of_a_cause_and_counts_the_others() {
    let source = "a: ${x.y}\n";
    let found = error(
        "r",
        "m",
        vec![label(Origin::Manifest(0), source, "${x.y}", "")],
    );
    let drawn = draw_causes(&manifest(source), &vec![found; 120]);
    let place = "apps/web.yaml:1:4";
    assert_eq!(drawn.matches("error[r]").count(), 1);
    assert_eq!(drawn.matches(place).count(), 5);
    assert!(drawn.starts_with("error: 120 errors in 1 file; nothing was rendered\n\n"));
    assert!(drawn.ends_with("note: and 115 more\n\n"), "{drawn}");
}

#[test]
fn draws_twenty_causes_and_names_the_command_that_shows_the_others() {
    let found: Vec<_> = (0..100)
        .map(|rule| error(&format!("r{rule}"), "m", Vec::new()))
        .collect();
    let drawn = draw_causes(&Documents::default(), &found);
    assert_eq!(drawn.matches("error[r").count(), 20);
    let more =
        "error: 80 more causes are not shown: run `landfall check apps/web` in the repository\n\n";
    assert!(drawn.ends_with(more), "{drawn}");
}

fn some_label(random: &mut Sequence, length: usize, conceal: bool) -> Label {
    let start = random.below(length + 3);
    let longest = 1 << random.below(6);
    let end = start + random.below(longest);
    let span = Span {
        origin: Origin::Manifest(0),
        start: start as u32,
        end: end as u32,
    };
    Label {
        span,
        message: random.pick(&["", "here", "two\nlines"]).to_owned(),
        conceal,
    }
}

const ROUNDS: usize = 2_000;

#[test]
fn draws_any_spans_of_any_document() {
    const PIECES: &[&str] = &[
        "a: 1", "\n", "\r\n", "ж", "\t", "😀", "\u{feff}", " ", "$", "\r", "\u{200d}", "表",
    ];
    let mut random = Sequence::new(1);
    for _ in 0..ROUNDS {
        let source: String = (0..random.below(40)).map(|_| random.pick(PIECES)).collect();
        let labels = (0..random.below(4))
            .map(|at| some_label(&mut random, source.len(), at == 1))
            .collect();
        let mut found = error("r", "m", labels);
        let Span { start, end, .. } = some_label(&mut random, source.len(), false).span;
        let text = random.pick(PIECES).repeat(random.below(3)).into_bytes();
        let edits = vec![Edit { start, end, text }];
        found.fixes = vec![Fix {
            title: "t".into(),
            target: Origin::Manifest(0),
            edits,
        }];
        let drawn = draw(&manifest(&source), &[found]);
        assert!(
            drawn.ends_with("error: 1 error; nothing was rendered\n"),
            "{source:?}\n{drawn}"
        );
    }
}

#[test]
fn never_shows_concealed_text() {
    let mut random = Sequence::new(2);
    for _ in 0..ROUNDS {
        let mut source: Vec<u8> = (0..random.below(400))
            .map(|_| random.pick(&["S", "S", "S", "\n"]).as_bytes()[0])
            .collect();
        let labels: Vec<_> = (0..1 + random.below(4))
            .map(|_| some_label(&mut random, source.len(), true))
            .collect();
        for Span { start, end, .. } in labels.iter().map(|label| label.span) {
            let length = source.len();
            let shown = &mut source[(start as usize).min(length)..(end as usize).min(length)];
            shown
                .iter_mut()
                .filter(|byte| **byte == b'S')
                .for_each(|byte| *byte = b'v');
        }
        let source = String::from_utf8(source).unwrap();
        let drawn = draw(&manifest(&source), &[error("r", "m", labels)]);
        assert!(!drawn.contains('S'), "{source:?}\n{drawn}");
    }
}
