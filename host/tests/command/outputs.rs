//! `landfall outputs`, `landfall sample`, and `check --outputs-from-terraform`.

use serde_json::Value;

use crate::run::{TestFolder, config_map};

const CONTRACT: &str = "apiVersion: landfall.dev/v1alpha1\nkind: OutputsContract\nspec:\n  infra:\n    vpc_id: {type: string, pattern: ^vpc-}\n    zone: {type: string}\n    password: {sensitive: true, minLength: 12}\n";

/// Returns a folder with an outputs document and a contract that it violates.
fn with_contract() -> TestFolder {
    let folder = TestFolder::with_infra();
    folder.write("contract.yaml", CONTRACT);
    folder
}

const VIOLATES: &[&str] = &[
    "outputs",
    "check",
    "-b",
    "infra.json",
    "--contract",
    "contract.yaml",
];

#[test]
fn check_reports_all_violations_with_their_places() {
    let folder = with_contract();
    let run = folder.run(VIOLATES);
    run.assert_input_error(&[
        "`infra` has no output `zone`",
        "the sensitive output `infra.password` does not match its contract",
        "::: contract.yaml:6:5",
        "infra.json:5",
        "error: 2 errors",
    ]);
    assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);
    // The contract's own line is shown.
    assert!(
        run.stderr.contains("zone: {type: string}"),
        "{}",
        run.stderr
    );
}

#[test]
fn check_without_a_contract_reads_the_documents() {
    let folder = with_contract();
    let run = folder.run(&["outputs", "check", "-b", "infra.json", "-v"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stderr.contains("no errors: 1 outputs document"),
        "{}",
        run.stderr
    );
    folder.write("a.json", "{\"a\": {\"value\": 1}, \"a\": {\"value\": 2}}");
    folder.write("b.json", "{\"b\": ");
    folder
        .run(&["outputs", "check", "-b", "a=a.json", "-b", "b=b.json"])
        .assert_input_error(&["duplicate output `a`", "is not valid JSON", "2 errors"]);
}

#[test]
fn check_uses_the_binding_and_its_documents() {
    let folder = with_contract();
    let binding = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs:\n  - {name: infra, from: {file: ../infra.json}}\n  contract:\n    infra: {vpc_id: {type: number}}\n";
    folder.write("app/landfall.yaml", binding);
    folder.write(".git/HEAD", "");
    let config = ["outputs", "check", "-c", "app/landfall.yaml"];
    folder
        .run(&config)
        .assert_input_error(&["--> infra.json", "app/landfall.yaml:7", "1 error"]);
    // The file replaces the contract of the Binding.
    let run = folder.run(&[&config[..], &["--contract", "contract.yaml"]].concat());
    run.assert_input_error(&["contract.yaml:6", "2 errors"]);
    assert!(!run.stderr.contains("requires a number"), "{}", run.stderr);
    folder
        .run(&["outputs", "check", "-c", "missing.yaml"])
        .assert_input_error(&["`missing.yaml`, named by --config, does not exist"]);
    folder
        .run(&["outputs", "check", "-c", "landfall.yaml"])
        .assert_input_error(&["`landfall.yaml`, named by --config, does not exist"]);
    for command in [
        &["outputs", "check"][..],
        &["outputs", "contract"],
        &["export", "flux"],
    ] {
        folder.run(command).assert_input_error(&[
            "no outputs document is bound: this folder has no `landfall.yaml`",
            "help: bind one with `-b FILE`",
        ]);
    }
}

#[test]
fn check_writes_reports() {
    let folder = with_contract();
    let report = |format: &str| {
        let run = folder.run(&[VIOLATES, &["-o", format]].concat());
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        let text = String::from_utf8(run.stdout).unwrap();
        assert!(text.contains("contract-violation"), "{text}");
        assert!(!text.contains("hunter2"), "{text}");
        text
    };
    let json: Value = serde_json::from_str(&report("json")).unwrap();
    let labels = json["diagnostics"][0]["labels"].as_array().unwrap();
    let origins: Vec<_> = labels.iter().map(|label| &label["origin"]).collect();
    assert_eq!(origins, ["outputs", "contract"]);
    assert_eq!(labels[1]["path"], "contract.yaml");
    assert!(report("junit").contains("tests=\"1\" failures=\"1\""));
    report("sarif");
    report("github");
}

#[test]
fn a_contract_accepts_its_own_documents() {
    let folder = TestFolder::with_infra();
    let contract = folder
        .run(&["outputs", "contract", "-b", "infra.json"])
        .expect_stdout();
    assert_eq!(
        contract,
        "apiVersion: landfall.dev/v1alpha1\nkind: OutputsContract\nspec:\n  infra:\n    password: {type: string, sensitive: true}\n    replicas: {type: number}\n    subnets: {type: list}\n    vpc_id: {type: string}\n"
    );
    folder.write("contract.yaml", contract);
    assert_eq!(folder.run(VIOLATES).expect_stdout(), "");
    // A lost mark is an error, and the value is not shown.
    let infra = folder.read("infra.json");
    folder.write("infra.json", infra.replace("true", "false"));
    let run = folder.run(VIOLATES);
    run.assert_input_error(&["`infra.password` is not marked as sensitive"]);
    assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);
}

#[test]
fn no_contract_is_written_for_an_unreadable_document() {
    let folder = TestFolder::new();
    folder.write("infra.json", "{");
    folder
        .run(&["outputs", "contract", "-b", "infra.json"])
        .assert_input_error(&["is not valid JSON", "no contract was written"]);
}

#[test]
fn samples_satisfy_their_contract_and_render() {
    let folder = with_contract();
    let sample = folder
        .run(&["sample", "--contract", "contract.yaml"])
        .expect_stdout();
    folder.write("sample.json", sample);
    let mut check = VIOLATES.to_vec();
    check[3] = "sample.json";
    assert_eq!(folder.run(&check).expect_stdout(), "");
    folder.write("app.yaml", config_map("a: ${infra.zone}"));
    let rendered = folder.run(&["render", "app.yaml", "-b", "sample.json"]);
    assert!(rendered.expect_stdout().contains("a: sample-zone\n"));
}

#[test]
fn a_sample_is_chosen_by_name() {
    let folder = TestFolder::new();
    let head = "apiVersion: landfall.dev/v1alpha1\nkind: OutputsContract\nspec:";
    folder.write("two.yaml", format!("{head} {{a: {{x: {{}}}}, b: {{}}}}\n"));
    let sample = |arguments: &[&str]| {
        let arguments = [&["sample", "--contract", "two.yaml"], arguments].concat();
        folder.run(&arguments)
    };
    assert_eq!(sample(&["--name", "b"]).expect_stdout(), "{}\n");
    sample(&[]).assert_input_error(&["several outputs documents", "--name: `a`, `b`"]);
    sample(&["--name", "c"]).assert_input_error(&["does not describe `c`"]);
    folder.write(
        "two.yaml",
        format!("{head} {{a: {{x: {{pattern: '^[[:alpha:]]$'}}}}}}\n"),
    );
    sample(&[]).assert_input_error(&[
        "cannot make a sample value for `a.x`",
        "two.yaml:3",
        "add an `example`",
        "no sample was written",
    ]);
}

const CODE: &str = "output \"vpc_id\" {\n  value = module.vpc.id\n}\n\noutput \"password\" {\n  value     = random_password.db.result\n  sensitive = true\n}\n";

#[test]
fn check_finds_references_that_terraform_code_does_not_declare() {
    let folder = TestFolder::new();
    folder.write("infra/main.tf", CODE);
    folder.write("ok.yaml", config_map("a: ${infra.vpc_id | upper}"));
    folder.write("typo.yaml", config_map("a: ${infra.vpcid}"));
    folder.write("leak.yaml", config_map("a: ${infra.password}"));
    let check = |path: &str| folder.run(&["check", path, "--outputs-from-terraform", "infra"]);
    assert_eq!(check("ok.yaml").code, Some(0));
    // The output that was probably meant is shown in the code.
    check("typo.yaml").assert_input_error(&[
        "`infra` has no output `vpcid`",
        "did you mean `vpc_id`?",
        "infra/main.tf:1",
        "this output exists",
    ]);
    check("leak.yaml").assert_input_error(&[
        "the sensitive output `infra.password` is not allowed here",
        "infra/main.tf:5",
    ]);
    folder.write("ok.yaml", config_map("a: ${network.vpc_id}"));
    let named = [
        "check",
        "ok.yaml",
        "--outputs-from-terraform",
        "network=infra",
    ];
    assert_eq!(folder.run(&named).code, Some(0));
}

#[test]
fn check_finds_variables_of_flux_that_terraform_code_does_not_declare() {
    let folder = TestFolder::new();
    folder.write("infra/main.tf", CODE);
    folder.write("ok.yaml", config_map("a: ${vpc_id:0:3}"));
    folder.write("typo.yaml", config_map("a: ${vpcid}"));
    folder.write("leak.yaml", config_map("a: ${password}"));
    let check = |path: &str| {
        let terraform = ["--outputs-from-terraform", "infra"];
        folder.run(&[
            "check",
            path,
            "--dialect",
            "flux",
            terraform[0],
            terraform[1],
        ])
    };
    let run = check("ok.yaml");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    check("typo.yaml").assert_input_error(&[
        "no bound document has an output `vpcid`",
        "did you mean `vpc_id`?",
    ]);
    check("leak.yaml").assert_input_error(&["the sensitive output `password` is not allowed here"]);
}

#[test]
fn declared_outputs_replace_the_documents_of_a_binding() {
    let folder = TestFolder::new();
    let binding = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs:\n  - {name: infra, from: {file: infra.json}}\n";
    folder.write("app/landfall.yaml", binding);
    folder.write(
        "app/app.yaml",
        config_map("a: ${infra.vpc_id}\n  b: ${infra.gone}"),
    );
    folder.write("tf/main.tf", CODE);
    let run = folder.run(&["check", "app", "--outputs-from-terraform", "tf"]);
    run.assert_input_error(&["`infra` has no output `gone`", "error: 1 error"]);
}

#[test]
fn a_variable_that_is_no_longer_declared_is_that_of_another_document() {
    let folder = TestFolder::new();
    let binding = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  dialect: flux\n  outputs:\n  - {name: base, from: {file: base.json}}\n  - {name: infra, from: {file: infra.json}}\n";
    folder.write("app/landfall.yaml", binding);
    folder.write("app/base.json", r#"{"region": {"value": "eu"}}"#);
    folder.write(
        "app/infra.json",
        r#"{"region": {"value": "us"}, "gone": {"value": "x"}}"#,
    );
    folder.write("tf/main.tf", CODE);
    let check = |value: &str| {
        folder.write("app/app.yaml", config_map(&format!("a: {value}")));
        folder.run(&["check", "app", "--outputs-from-terraform", "tf"])
    };
    let run = check("${region}${vpc_id}");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    check("${gone}").assert_input_error(&["no bound document has an output `gone`"]);
}

#[test]
fn reading_terraform_code_ends_at_the_time_limit() {
    let folder = TestFolder::new();
    let keys: Vec<_> = (0..40_000).map(|nth| format!("  key{nth} = 1")).collect();
    let code = format!("locals {{\n x = {{\n{}\n }}\n}}\n", keys.join("\n"));
    folder.write("tf/main.tf", code);
    let run = folder.run(&[
        "outputs",
        "contract",
        "--from-terraform",
        "tf",
        "--max-time",
        "1s",
    ]);
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(
        run.stderr
            .contains("Terraform code exceeded the limit of 1s (--max-time)"),
        "{}",
        run.stderr
    );
}

#[test]
fn terraform_code_that_cannot_be_read_is_an_error() {
    let folder = TestFolder::new();
    folder.write("app.yaml", config_map("a: b"));
    folder.write("infra/main.tf", "output \"a\" {\n  value =\n}\n");
    folder.write("empty/README.md", "");
    for (path, parts) in [
        ("infra", &["invalid-terraform", "infra/main.tf:2"][..]),
        ("empty", &["`empty` contains no Terraform code"]),
        (
            "infra/main.tf",
            &["`infra/main.tf` is a file, not a folder", "pass the folder"],
        ),
        ("missing", &["`missing`, named by --", "does not exist"]),
    ] {
        folder
            .run(&["check", "app.yaml", "--outputs-from-terraform", path])
            .assert_input_error(parts);
        folder
            .run(&["outputs", "contract", "--from-terraform", path])
            .assert_input_error(parts);
    }
}
