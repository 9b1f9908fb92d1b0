//! Documents that people bind by mistake because they are not outputs, or not only outputs,
//! each with the command that makes the right one. Nothing from a document is ever quoted:
//! it may contain secrets.

use crate::outputs::document::Document;
use crate::outputs::json::{Json, Member, Node};

/// What a document is instead of outputs, and how to fix it.
#[derive(Clone, Copy, Debug)]
pub(super) struct OtherDocument {
    /// Continues `the outputs document`: `is a Terraform state file`.
    pub(super) what: &'static str,
    pub(super) help: &'static str,
}

pub(super) const OUTPUT_JSON: &str =
    "bind the unchanged result of `terraform output -json > outputs.json`";
const AFTER_APPLY: &str = "a plan does not know its outputs: apply it, then bind the result of `terraform output -json > outputs.json`";
const FROM_STATE: &str = "run `terraform output -json > outputs.json` for this state, and bind that file: it contains only the outputs";
const FROM_ENCRYPTED_STATE: &str =
    "run `tofu output -json > outputs.json` where the encryption is configured, and bind that file";
const REVISION_JSON: &str = "bind the result of `gcloud infra-manager revisions describe REVISION --format=json > revision.json`";
pub(super) const MASKED_BY_PULUMI: &str = "`pulumi stack output` masks secrets: bind the result of `pulumi stack export --show-secrets`, which marks them, or that of `pulumi stack output --json --show-secrets`, and list them as `sensitive` in `spec.outputs` of the Binding";
const UNNAMED_PULUMI: &str = "add `format: pulumi` to its entry in `spec.outputs` of the Binding, and references cannot read the masked outputs; to bind these too, bind the result of `pulumi stack export --show-secrets`, which marks them";
const PULUMI: &str = "bind the unchanged result of `pulumi stack output --json > outputs.json`; if outputs are secret, that of `pulumi stack export --show-secrets`, which marks them";
const CHECKPOINT: &str = "bind the unchanged result of `pulumi stack export --show-secrets`";
const DESCRIBE_STACKS: &str = "bind the unchanged result of `aws cloudformation describe-stacks --stack-name NAME --output json > outputs.json`, without `--query`";
const CDK_FILE: &str = "bind the file that `cdk deploy --outputs-file outputs.json` writes";
const DECRYPT: &str =
    "landfall does not decrypt: decrypt it first, for example with `sops decrypt outputs.json`";
const OMIT_NAME: &str = "omit the name: bind the result of `terraform output -json > outputs.json`";
const STDOUT_ALONE: &str = "capture only standard output: with setup-terraform, set `terraform_wrapper: false`; run `terraform output -json > outputs.json` in a separate step";

/// Identifies bytes that are not UTF-8.
pub(super) fn identify_binary(content: &[u8]) -> Option<OtherDocument> {
    let (what, help) = match content {
        [b'P', b'K', 3, 4, ..] => (
            "is a saved Terraform plan, or another zip archive",
            AFTER_APPLY,
        ),
        [0x1f, 0x8b, ..] => (
            "is compressed with gzip",
            "decompress it first: `gunzip outputs.json.gz`",
        ),
        [0, b'G', b'I', b'T', b'C', b'R', b'Y', b'P', b'T', ..] => (
            "is encrypted with git-crypt",
            "run `git-crypt unlock` first",
        ),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => (
            "is UTF-16, as written by PowerShell's `>`",
            "write it as UTF-8: `terraform output -json | Out-File -Encoding utf8 outputs.json`",
        ),
        _ => return None,
    };
    Some(OtherDocument { what, help })
}

/// Identifies a document that no format is certain of.
pub(super) fn identify(document: &Document<'_>) -> Option<OtherDocument> {
    match document.json() {
        Ok(json) => identify_json(json.root()),
        Err(_) => identify_text(document.body()),
    }
}

/// Identifies text whose values are not its outputs, whatever its form.
pub(super) fn identify_unusable(text: &str) -> Option<OtherDocument> {
    let begins = |prefix: &str| text.starts_with(prefix);
    let (what, help) = if begins("version https://git-lfs.github.com/spec") {
        ("is a Git LFS pointer", "run `git lfs pull` first")
    } else if [
        "-----BEGIN AGE ",
        "-----BEGIN PGP ",
        "$ANSIBLE_VAULT",
        "age-encryption.org/",
    ]
    .iter()
    .any(|prefix| begins(prefix))
        || text.contains("ENC[AES256_GCM,")
    {
        ("is encrypted", DECRYPT)
    } else if text.lines().any(|line| line.starts_with("<<<<<<< ")) {
        (
            "has an unresolved Git merge conflict",
            "generate it again and commit the result",
        )
    } else {
        return None;
    };
    Some(OtherDocument { what, help })
}

/// Identifies text that is only one word.
pub(super) fn identify_word(text: &str) -> Option<OtherDocument> {
    let word = text.trim();
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:@+".contains(&byte);
    let is_word =
        word.starts_with(|first: char| first.is_ascii_alphanumeric()) && word.bytes().all(is_part);
    is_word.then_some(OtherDocument {
        what: "is a single value, as written by `terraform output -raw NAME`",
        help: OMIT_NAME,
    })
}

/// Identifies a text of several lines, as Terraform prints one.
fn identify_heredoc(text: &str) -> Option<OtherDocument> {
    let text = text.trim();
    let begins = ["<<EOT\n", "<<-EOT\n", "<<EOT\r\n", "<<-EOT\r\n"];
    let is_heredoc = begins.iter().any(|begin| text.starts_with(begin)) && text.ends_with("EOT");
    is_heredoc.then_some(OtherDocument {
        what: "is a single value, as written by `terraform output NAME` without -json",
        help: OMIT_NAME,
    })
}

/// Identifies text that is not JSON.
fn identify_text(text: &str) -> Option<OtherDocument> {
    if let Some(found) = identify_unusable(text)
        .or_else(|| identify_heredoc(text))
        .or_else(|| identify_surrounded_json(text))
    {
        return Some(found);
    }
    let has_line = |is: &dyn Fn(&str) -> bool| text.lines().any(is);
    let first = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let lower = first
        .get(..first.floor_char_boundary(20))
        .unwrap_or_default()
        .to_ascii_lowercase();
    let (what, help) = if lower.starts_with("<!doctype")
        || lower.starts_with("<html")
        || lower.starts_with("<?xml")
    {
        (
            "is an HTML or XML page",
            "the download returned an error or login page: check its URL and credentials",
        )
    // Before plans: `terraform apply` prints the plan first.
    } else if has_line(&|line| line.starts_with("Apply complete! ")) {
        ("is what `terraform apply` prints", OUTPUT_JSON)
    } else if has_line(&is_plan) {
        ("is the text of a Terraform plan", AFTER_APPLY)
    } else if text.contains("No outputs found") {
        (
            "is Terraform's message that it found no outputs",
            "apply the configuration first, and run the command in its folder and workspace",
        )
    } else if first.starts_with(['\u{256f}', '\u{2577}'])
        || first.starts_with("Error:")
        || first.starts_with("Warning:")
    {
        (
            "is a Terraform message, not its outputs",
            "run `terraform output -json` to see what it reports",
        )
    } else if first.starts_with("Current stack outputs (") {
        (
            "is the output of `pulumi stack output` without --json",
            PULUMI,
        )
    } else if has_line(&|line| {
        line.starts_with("Updating (") || line.starts_with("Previewing update (")
    }) {
        ("is what `pulumi up` or `pulumi preview` prints", PULUMI)
    } else if has_line(&is_described_stack) {
        (
            "is the result of `aws cloudformation describe-stacks` as text, a table or YAML",
            DESCRIBE_STACKS,
        )
    // A name of Terraform has no dot.
    } else if is_assignment(first, " = ")
        && first
            .split_once(" = ")
            .is_some_and(|(name, _)| name.contains('.'))
    {
        ("is what `cdk deploy` prints", CDK_FILE)
    } else if is_assignment(first, " = ") {
        (
            "is the output of `terraform output` without -json",
            OUTPUT_JSON,
        )
    } else if has_line(&is_block) {
        (
            "is Terraform code, or the result of `terraform show` without -json",
            OUTPUT_JSON,
        )
    } else if text.contains('\u{1b}') {
        ("contains terminal colors", STDOUT_ALONE)
    } else if has_line(&|line| line.starts_with("apiVersion:")) {
        (
            "is a Kubernetes manifest",
            "pass it as a manifest, and bind an outputs document instead",
        )
    } else {
        // gcloud writes YAML by default.
        return identify_deployment(&|key| {
            has_line(&|line| {
                line.strip_prefix(key)
                    .is_some_and(|rest| rest.starts_with(':'))
            })
        });
    };
    Some(OtherDocument { what, help })
}

/// Identifies text that contains the JSON of outputs among other text.
fn identify_surrounded_json(text: &str) -> Option<OtherDocument> {
    let mut at = 0;
    let line = text.split_inclusive('\n').find(|line| {
        // An indented `{` belongs to another value.
        let is_start = line.starts_with('{');
        if !is_start {
            at += line.len();
        }
        is_start
    })?;
    let first = Json::read_first(text, at)?;
    if first
        .root()
        .members()
        .iter()
        .any(|key| key.name == "@level" || key.name == "@message")
    {
        return Some(OtherDocument {
            what: "is the JSON log of a Terraform command",
            help: OUTPUT_JSON,
        });
    }
    let is_first_line = text.trim_start().starts_with(line.trim_start());
    let after = text.get(first.root().span().end..)?.trim_start();
    if is_first_line && after.starts_with(['}', ']', ',']) {
        return None;
    }
    if is_first_line && after.starts_with(['{', '[']) {
        return Some(OtherDocument {
            what: "has another JSON document after the first",
            help: "bind each document from a file of its own: documents can share a name, and later ones win",
        });
    }
    Some(OtherDocument {
        what: if is_first_line {
            "has other text after its JSON"
        } else {
            "has other text before its JSON, as written by Terraform wrappers"
        },
        help: STDOUT_ALONE,
    })
}

fn is_plan(line: &str) -> bool {
    let rest = ["Terraform ", "OpenTofu "]
        .iter()
        .find_map(|program| line.strip_prefix(program))
        .unwrap_or(line);
    rest.starts_with("will perform the following actions")
        || rest.starts_with("used the selected providers")
        || rest.starts_with("Changes to Outputs:")
        || rest.starts_with("No changes. Your infrastructure matches")
}

/// Returns whether a line starts a block of Terraform code with a label.
fn is_block(line: &str) -> bool {
    let kinds = ["output", "resource", "data", "module", "variable"];
    line.ends_with('{')
        && line
            .split_once(" \"")
            .is_some_and(|(kind, _)| kinds.contains(&kind))
}

/// Returns whether a line is one of `describe-stacks` in the output formats table, text and
/// YAML.
fn is_described_stack(line: &str) -> bool {
    line.trim_matches(['|', ' ']) == "DescribeStacks"
        || line.starts_with("STACKS\t")
        || line.starts_with("OUTPUTS\t")
        || line
            .trim_start_matches([' ', '-'])
            .starts_with("OutputKey: ")
}

/// Returns whether a line is a name, then `between`, then something else.
pub(super) fn is_assignment(line: &str, between: &str) -> bool {
    line.split_once(between)
        .is_some_and(|(name, _)| is_name(name.strip_prefix("export ").unwrap_or(name)))
}

pub(super) fn is_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    !name.is_empty() && name.len() <= 256 && name.bytes().all(is_part)
}

/// Identifies, by its keys, a Terraform document that no format reads.
pub(super) fn identify_terraform(has: &dyn Fn(&str) -> bool) -> Option<OtherDocument> {
    let (what, help) = if has("planned_values") || has("resource_changes") {
        (
            "is a Terraform plan, as written by `terraform show -json PLAN`",
            AFTER_APPLY,
        )
    } else if has("encrypted_data") && has("encryption_version") {
        (
            "is a state or plan that OpenTofu encrypted",
            FROM_ENCRYPTED_STATE,
        )
    } else if has("format_version") {
        (
            "is JSON of Terraform that contains neither a state nor outputs",
            OUTPUT_JSON,
        )
    } else if has("terraform_version") || has("lineage") && has("serial") {
        (
            "is a Terraform state file of an unsupported version",
            FROM_STATE,
        )
    } else {
        return None;
    };
    Some(OtherDocument { what, help })
}

/// Identifies, by its keys, a document of a cloud's deployment service that no format
/// reads.
fn identify_deployment(has: &dyn Fn(&str) -> bool) -> Option<OtherDocument> {
    let (what, help) = if has("$schema") && has("contentVersion") {
        (
            "is an ARM template or its parameters",
            "bind the result of `az deployment group show --resource-group GROUP --name NAME > deployment.json`",
        )
    } else if has("applyResults") {
        (
            "is an Infrastructure Manager revision, but not in JSON",
            REVISION_JSON,
        )
    } else if has("latestRevision") {
        (
            "is an Infrastructure Manager deployment, which has no outputs",
            REVISION_JSON,
        )
    } else {
        return None;
    };
    Some(OtherDocument { what, help })
}

/// Identifies a document by its keys.
pub(super) fn identify_by_keys(has: &dyn Fn(&str) -> bool) -> Option<OtherDocument> {
    let (what, help) = if has("sops") {
        ("is encrypted with SOPS", DECRYPT)
    } else if let Some(found) = identify_terraform(has).or_else(|| identify_deployment(has)) {
        return Some(found);
    } else if has("apiVersion") && has("kind") {
        (
            "is a Kubernetes manifest",
            "pass it as a manifest, and bind an outputs document instead",
        )
    } else if has("checkpoint") && has("version") {
        ("is a checkpoint of a Pulumi stack", CHECKPOINT)
    } else if has("@level") || has("@message") {
        ("is the JSON log of a Terraform command", OUTPUT_JSON)
    } else {
        return None;
    };
    Some(OtherDocument { what, help })
}

/// Identifies JSON that no format is certain of.
fn identify_json(node: Node<'_>) -> Option<OtherDocument> {
    let is_output = |item: Node<'_>| item.get("OutputKey").is_some();
    if node.items().any(is_output)
        || node.get("StackId").is_some() && node.get("StackName").is_some()
    {
        return Some(OtherDocument {
            what: "is a part of the result of `aws cloudformation describe-stacks`",
            help: DESCRIBE_STACKS,
        });
    }
    if !node.is_object() {
        return Some(OtherDocument {
            what: "is a single value, as written by `terraform output -json NAME`",
            help: OMIT_NAME,
        });
    }
    let members = node.members();
    let is_masked = |member: &Member<'_>| member.value.raw() == "\"[secret]\"";
    if members.iter().any(is_masked) {
        return Some(OtherDocument {
            what: "has masked secrets, as written by `pulumi stack output --json`",
            help: UNNAMED_PULUMI,
        });
    }
    identify_by_keys(&|name: &str| members.iter().any(|member| member.name == name))
}

#[cfg(test)]
mod tests {
    use crate::OutputsDocument;
    use crate::outputs::read;
    use crate::report::{Diagnostic, Origin};

    fn errors(content: &[u8]) -> Vec<Diagnostic> {
        let document = OutputsDocument {
            content: content.to_vec(),
            ..OutputsDocument::default()
        };
        read(&document, Origin::Outputs(0))
            .diagnostics
            .into_iter()
            .collect()
    }

    #[track_caller]
    fn check(content: impl AsRef<[u8]>, message: &str, help: &str) {
        let found = errors(content.as_ref());
        let [error] = found.as_slice() else {
            panic!("{found:?}");
        };
        let reported = format!(
            "{} / {}",
            error.message,
            error.help.as_deref().unwrap_or_default()
        );
        assert!(error.message.contains(message), "{reported}");
        assert!(
            error
                .help
                .as_deref()
                .is_some_and(|text| text.contains(help)),
            "{reported}"
        );
        assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
    }

    const OUTPUTS: &str =
        "{\n  \"db\": {\"sensitive\": true, \"type\": \"string\", \"value\": \"hunter2\"}\n}\n";

    #[test]
    fn recognizes_other_documents_of_terraform() {
        check(
            r#"{"version": 3, "terraform_version": "0.11.0", "serial": 3, "lineage": "hunter2", "modules": [{"outputs": {}}]}"#,
            "is a Terraform state file of an unsupported version",
            "terraform output -json",
        );
        check(
            r#"{"serial": 3, "lineage": "hunter2", "meta": {}, "encrypted_data": "hunter2", "encryption_version": "v0"}"#,
            "is a state or plan that OpenTofu encrypted",
            "tofu output -json",
        );
        check(
            r#"{"format_version": "1.0", "valid": true, "diagnostics": []}"#,
            "is JSON of Terraform that contains neither",
            "terraform output -json",
        );
        for plan in [
            r#"{"format_version": "1.2", "planned_values": {"outputs": {"a": {"value": "hunter2"}}}}"#,
            r#"{"format_version": "1.2", "values": {}, "resource_changes": []}"#,
        ] {
            check(plan, "is a Terraform plan", "apply it");
        }
        check(
            r#"{"version": "ENC[AES256_GCM,data:hunter2]", "lineage": "ENC[]", "outputs": {}, "sops": {}}"#,
            "is encrypted with SOPS",
            "sops decrypt",
        );
        check(
            r#"{"version": 4, "lineage": "", "outputs": {"a": {"value": "ENC[AES256_GCM,data:hunter2]"}}, "sops": {}}"#,
            "is encrypted with SOPS",
            "sops decrypt",
        );
        check(
            b"PK\x03\x04\xff\xfehunter2",
            "is a saved Terraform plan",
            "apply it",
        );
        check(
            "Terraform will perform the following actions:\n\n  + hunter2\n",
            "the text of a Terraform plan",
            "apply it",
        );
        check(
            "db = \"hunter2\"\nvpc_id = \"vpc\"\n",
            "`terraform output` without -json",
            "-json",
        );
        for inside in [
            "hunter2",
            "apiVersion: v1\nhunter2: []",
            "{\"a\": \"hunter2\"}",
        ] {
            check(
                format!("<<EOT\n{inside}\nEOT\n"),
                "a single value, as written by `terraform output NAME`",
                "-json",
            );
        }
        check(
            "subnets = [\n  \"hunter2\",\n]\n",
            "`terraform output` without -json",
            "-json",
        );
        for plan in [
            "OpenTofu will perform the following actions:\n\n  + hunter2\n",
            "\nChanges to Outputs:\n  + db = \"hunter2\"\n",
        ] {
            check(plan, "the text of a Terraform plan", "apply it");
        }
        check(
            "Terraform will perform the following actions:\n\nApply complete! Resources: 1 added, 0 changed, 0 destroyed.\n\nOutputs:\n\ndb = \"hunter2\"\n",
            "is what `terraform apply` prints",
            "terraform output -json",
        );
        for code in [
            "output \"db\" {\n  value = \"hunter2\"\n}\n",
            "# terraform_data.a:\nresource \"terraform_data\" \"a\" {\n    id = \"hunter2\"\n}\n\n\nOutputs:\n\ndb = \"hunter2\"\n",
        ] {
            check(code, "is Terraform code", "terraform output -json");
        }
        check("hunter2\n", "`terraform output -raw NAME`", "omit the name");
        check(
            "https://hunter2.example.com:443",
            "a single value",
            "omit the name",
        );
        check("\"hunter2\"\n", "a single value", "omit the name");
        check("[\"hunter2\"]", "a single value", "omit the name");
        check(
            "\u{2577}\n\u{2502} Warning: No outputs found\n",
            "found no outputs",
            "apply",
        );
        check(
            "\u{2577}\n\u{2502} Error: hunter2\n",
            "is a Terraform message",
            "see what it reports",
        );
        check(
            "{\"@level\":\"info\",\"@message\":\"hunter2\"}\n{\"@level\":\"info\"}\n",
            "the JSON log of",
            "-json",
        );
    }

    #[test]
    fn recognizes_other_documents_of_deployment_services() {
        check(
            r#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0", "outputs": {"a": {"type": "string", "value": "hunter2"}}}"#,
            "is an ARM template",
            "az deployment group show",
        );
        check(
            "applyResults:\n  outputs:\n    a:\n      value: hunter2\n",
            "is an Infrastructure Manager revision, but not in JSON",
            "--format=json",
        );
        check(
            r#"{"name": "hunter2", "latestRevision": "hunter2", "state": "ACTIVE"}"#,
            "is an Infrastructure Manager deployment",
            "revisions describe",
        );
    }

    #[test]
    fn recognizes_the_output_of_a_wrapper() {
        for before in [
            "[command]/opt/terraform-bin output -json\n",
            "Initializing the backend...\n\n",
            "\u{1b}[0m\u{1b}[1mhunter2\u{1b}[0m\n",
            "::debug::Terraform exited with code 0.\n",
        ] {
            check(
                format!("{before}{OUTPUTS}"),
                "other text before its JSON",
                "terraform_wrapper: false",
            );
        }
        check(
            format!("{OUTPUTS}\n::debug::exitcode: 0\n"),
            "other text after its JSON",
            "terraform_wrapper: false",
        );
        for second in [OUTPUTS, "[]", "{"] {
            check(
                format!("{OUTPUTS}\n{second}\n"),
                "another JSON document after the first",
                "a file of its own",
            );
        }
    }

    #[test]
    fn recognizes_other_documents_of_pulumi() {
        check(
            "Current stack outputs (2):\n    OUTPUT  VALUE\n    db      hunter2\n",
            "`pulumi stack output` without --json",
            "pulumi stack output --json",
        );
        check(
            "Updating (dev)\n\nOutputs:\n    db: \"hunter2\"\n",
            "is what `pulumi up` or `pulumi preview` prints",
            "pulumi stack output --json",
        );
        check(
            r#"{"db": "[secret]", "vpcId": "hunter2"}"#,
            "has masked secrets",
            "--show-secrets",
        );
        check(
            r#"{"version": 3, "checkpoint": {"stack": "hunter2", "latest": {"resources": []}}}"#,
            "a checkpoint of a Pulumi stack",
            "pulumi stack export",
        );
    }

    #[test]
    fn recognizes_other_documents_of_cloudformation_and_cdk() {
        for text in [
            "-----------\n|           DescribeStacks          |\n+-----------+\n||  StackName  |  hunter2  ||\n",
            "STACKS\t2024-01-01T00:00:00+00:00\tFalse\thunter2\nOUTPUTS\tDb\thunter2\n",
            "Stacks:\n- CreationTime: '2024-01-01'\n  Outputs:\n  - OutputKey: Db\n    OutputValue: hunter2\n",
        ] {
            check(text, "as text, a table or YAML", "--output json");
        }
        for json in [
            r#"[{"OutputKey": "Db", "OutputValue": "hunter2"}]"#,
            r#"{"StackId": "arn:hunter2", "StackName": "shop", "Outputs": []}"#,
        ] {
            check(json, "is a part of the result", "without `--query`");
        }
        check(
            "Shop.DbHost = hunter2\nShop.VpcId = vpc\n",
            "is what `cdk deploy` prints",
            "--outputs-file",
        );
    }

    #[test]
    fn recognizes_other_formats() {
        for json in [
            "{\"vpc_id\": \"hunter2\"}",
            "{\"db\": {\"value\": 1}, \"vpc_id\": \"hunter2\"}",
        ] {
            check(json, "members are not outputs", "`format: json`");
            check(json, "needs a `value`", "`terraform output -json");
        }
        check("VPC_ID=hunter2\n", "NAME=value lines", "`format: dotenv`");
        check("vpc_id: hunter2\n", "is YAML", "`format: yaml`");
        check(
            "apiVersion: v1\nkind: Pod\ndata: hunter2\n",
            "is a Kubernetes manifest",
            "as a manifest",
        );
        check(
            "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"data\": {\"a\": \"hunter2\"}}",
            "is a Kubernetes manifest",
            "as a manifest",
        );
        check(
            "{\"db\": \"ENC[AES256_GCM,data:hunter2]\", \"sops\": {}}",
            "encrypted with SOPS",
            "sops decrypt",
        );
        check(
            "db: ENC[AES256_GCM,data:hunter2]\nsops: {}\n",
            "is encrypted",
            "decrypt it first",
        );
        check(
            "$ANSIBLE_VAULT;1.1;AES256\nhunter2\n",
            "is encrypted",
            "decrypt it first",
        );
        check("<!DOCTYPE html><html>hunter2</html>", "HTML", "credentials");
        check(
            "version https://git-lfs.github.com/spec/v1\noid sha256:hunter2\n",
            "Git LFS",
            "git lfs pull",
        );
        check(
            "<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> main\n",
            "merge conflict",
            "again",
        );
        check(b"\x1f\x8b\x08hunter2\xff", "gzip", "gunzip");
        check(b"\0GITCRYPT\0hunter2\xff", "git-crypt", "unlock");
        check(b"\xff\xfe{\0}\0", "UTF-16", "utf8");
    }

    #[test]
    fn does_not_mistake_syntax_errors_for_other_documents() {
        for content in [
            "{\"a\": {\"value\": 1,}}",
            "{\"a\": ",
            "{} x",
            "{\"a\": {}}}",
            "{\"a\": {\n}}\n}, \"hunter2\"",
            "hunter2: hunter2",
        ] {
            let found = errors(content.as_bytes());
            assert!(
                !found.is_empty() && !format!("{found:?}").contains("hunter2"),
                "{found:?}"
            );
        }
    }
}
