use super::*;

/// Returns a line for each output that files declare, or each error with its text.
fn declared(files: &[(&str, &str)]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    let terraform = TerraformFolder {
        name: "infra".to_owned(),
        path: folder.path().to_owned(),
    };
    let mut budget = Budget::new(1 << 20);
    match read(&terraform, "--from-terraform", &mut budget) {
        Ok(declared) => {
            let contract = declared.contract();
            let text = String::from_utf8(contract.document.content).unwrap();
            let lines = text.lines().skip(4);
            lines.map(|line| line.trim().to_owned()).collect()
        }
        Err(Unreadable { files, diagnostics }) => {
            let described = diagnostics.iter().map(|found| {
                let texts = found.labels.iter().map(|label| {
                    let Origin::Outputs(file) = label.span.origin else {
                        panic!("{label:?}");
                    };
                    let content = &files[file as usize].content;
                    let text = &content[label.span.start as usize..label.span.end as usize];
                    String::from_utf8_lossy(text).into_owned()
                });
                let texts: Vec<_> = texts.collect();
                format!("{}: {}", found.message, texts.join(", "))
            });
            described.collect()
        }
    }
}

#[track_caller]
fn check(files: &[(&str, &str)], expected: &[&str]) {
    assert_eq!(declared(files), expected, "{files:?}");
}

#[test]
fn reads_names_types_and_marks() {
    let code = r#"
# output "comment" {}
locals { text = "output \"string\" {}" }
output "vpc_id" {
  description = "the VPC:\n  of \"today\""
  value       = module.vpc.id
}
output "password" {
  value     = random_password.db.result
  sensitive = true
}
output yes { value = "a" }
output "text" { value = "a-${var.x}" }
output "numbers" { value = (1 + 2) }
output "number" { value = (1) }
output "list" { value = [for x in var.x : x] }
output "object" {
  sensitive = "false"
  value     = { a = 1 }
}
output "typed" {
  type  = map(string)
  value = var.x
}
output "heredoc" {
  value = <<-EOT
    output "inside" {}
  EOT
}
resource "x" "y" {
  output "nested" {}
}
"#;
    check(
        &[("main.tf", code), ("sub.hcl", "output \"other\" {}")],
        &[
            "heredoc: {}",
            "list: {}",
            "number: {type: number}",
            "numbers: {}",
            "object: {type: object}",
            "password: {sensitive: true}",
            "text: {}",
            "typed: {type: object}",
            "vpc_id: {description: \"the VPC: of \\\"today\\\"\"}",
            "\"yes\": {type: string}",
        ],
    );
}

#[test]
fn reads_the_json_syntax() {
    check(
        &[(
            "main.tf.json",
            r#"{"//": "c", "output": [{"//": "c", "id": {"value": "${a.b}", "sensitive": true}}, {"num": [{"value": 1}]}, {"t": {"type": "list(string)", "value": "x"}}]}"#,
        )],
        &[
            "id: {sensitive: true}",
            "num: {type: number}",
            "t: {type: list}",
        ],
    );
}

#[test]
fn reads_every_member_of_the_json_syntax() {
    // A key may be repeated for each block, as in Terraform (hcl/json/structure.go).
    check(
        &[(
            "main.tf.json",
            r#"{"locals": {"b": "a \" : \\"}, "output": {"a": {"value": 1}}, "output": {"b": {"value": 2}}}"#,
        )],
        &["a: {type: number}", "b: {type: number}"],
    );
    check(
        &[(
            "main.tf.json",
            "\u{feff}{\"locals\": {\"a\": 1},\n\"output\": {\"a\" : {}, \"a\": {}}}",
        )],
        &["duplicate output `a`: a, a"],
    );
    check(
        &[(
            "main.tf.json",
            r#"{"output": {"\u0061": {"sensitive": true, "sensitive": false}}}"#,
        )],
        &["duplicate `sensitive` in the output `a`: sensitive"],
    );
    // Places are in the file, and of the output, not of anything else with its name.
    let code = "\u{feff}{\"locals\": {\"a b\": \"a b\"}, \"output\": {\"a b\": {}}}";
    let errors = json::outputs(code).errors;
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].1.start, code.rfind("a b").unwrap());
}

#[test]
fn outputs_that_are_null_are_not_required() {
    check(
        &[
            (
                "a.tf",
                "output \"a\" {\n  type = string\n  value = null\n}\noutput \"b\" {\n  value = (null)\n  sensitive = true\n}\noutput \"c\" { value = null }\noutput \"d\" { value = 1 }",
            ),
            (
                "b.tf.json",
                r#"{"output": {"e": {"value": null}, "f": {}}}"#,
            ),
            (
                "x_override.tf",
                "output \"c\" { value = 1 }\noutput \"d\" { value = null }",
            ),
        ],
        &[
            "a: {type: string, required: false}",
            "b: {required: false, sensitive: true}",
            "c: {type: number}",
            "d: {required: false}",
            "e: {required: false}",
            "f: {}",
        ],
    );
}

#[test]
fn long_names_are_explicit_keys() {
    let name = "a".repeat(1025);
    check(
        &[("a.tf", &format!("output \"{name}\" {{}}"))],
        &[&format!("? {name}"), ": {}"],
    );
}

#[test]
fn merges_override_files() {
    check(
        &[
            (
                "a_override.tf",
                "output \"a\" {\n  sensitive = true\n  value = x\n}",
            ),
            (
                "b.tf",
                "output \"a\" {\n  description = \"d\"\n  value = 1\n}",
            ),
            (
                "override.tf.json",
                r#"{"output": {"a": {"description": "e"}}}"#,
            ),
        ],
        &["a: {sensitive: true, description: \"e\"}"],
    );
    check(
        &[("override.tf", "output \"a\" {}"), ("x.tf", "")],
        &["no output `a` to override: \"a\""],
    );
}

#[test]
fn prefers_files_of_opentofu_and_skips_backups() {
    check(
        &[
            ("a.tf", "output \"terraform\" {}"),
            ("a.tofu", "output \"tofu\" {}"),
            (".b.tf", "output \"hidden\" {}"),
            ("c.tf~", "output \"backup\" {}"),
        ],
        &["tofu: {}"],
    );
}

#[test]
fn reports_mistakes_with_their_place() {
    check(
        &[
            (
                "a.tf",
                "\u{feff}output \"a\" {}\noutput \"a b\" {}\noutput {}\n",
            ),
            ("b.tf", "output \"a\" { sensitive = var.x }\n"),
            ("c.tf.json", "{\"output\": {\"c\": {\"sensitive\": 1}}}"),
        ],
        &[
            "`a b` is not a valid name of an output: \"a b\"",
            "an `output` block must have one label, the name of the output: output",
            "`sensitive` of the output `a` must be `true` or `false`: sensitive",
            "duplicate output `a`: \"a\", \"a\"",
            "`sensitive` of the output `c` must be `true` or `false`: c",
        ],
    );
    for (name, code) in [
        ("a.tf", "output \"a\" {\n  value = \n"),
        ("a.tf.json", "{\"output\": "),
    ] {
        let found = declared(&[(name, code)]);
        assert!(found[0].starts_with("the file is not valid"), "{found:?}");
    }
}

#[test]
fn deep_nesting_is_an_error() {
    for open in ["[", "(", "{a=", "!", "-", "f(", "a?", "\"${"] {
        let code = format!("output \"a\" {{ value = {} }}", open.repeat(100_000));
        let found = declared(&[("a.tf", &code)]);
        assert!(found[0].starts_with("the file is not valid"), "{open}");
    }
    let json = format!("{{\"output\": {}", "[".repeat(100_000));
    let found = declared(&[("a.tf.json", &json)]);
    assert!(found[0].starts_with("the file is not valid JSON"));
}
