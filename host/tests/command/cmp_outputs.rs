//! The outputs of an application under Argo CD: parameters, mounted documents, and digests.

use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use crate::run::{Run, TestFolder, config_map, finish};

const NETWORK: &str = r#"{"vpc_id": {"sensitive": false, "value": "vpc-0ab1"}}"#;
const SECRET: &str = r#"{"password": {"sensitive": true, "value": "hunter2"}}"#;

/// A folder with an application, and what the operator mounts beside it.
struct Application {
    folder: TestFolder,
}

impl Application {
    /// Creates an application with one line of data, and this item of `spec.outputs`.
    fn new(output: &str, line: &str) -> Self {
        let folder = TestFolder::new();
        let binding = format!(
            "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs:\n    - {output}\n"
        );
        folder.write("app/landfall.yaml", binding);
        folder.write("app/web.yaml", config_map(line));
        folder.write("mounted/_shared/network.json", NETWORK);
        Self { folder }
    }

    fn mounted(path: &str) -> Self {
        let output = format!("{{name: network, from: {{mounted: {path}}}}}");
        Self::new(&output, "vpc: ${network.vpc_id}")
    }

    fn command(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Command {
        let mut command = self.folder.command(&[&["cmp"], arguments].concat());
        command
            .current_dir(self.folder.at("app"))
            .env("ARGOCD_APP_SOURCE_PATH", "app")
            .envs(variables.iter().copied())
            .stdin(Stdio::null());
        command
    }

    /// Runs `landfall cmp generate` as in the project `team-a`, with mounted outputs.
    fn generate(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Run {
        let generate = ["generate", "--mounted-outputs", "../mounted"];
        let project = [("ARGOCD_APP_PROJECT_NAME", "team-a")];
        let variables = [&project, variables].concat();
        finish(
            &mut self.command(&[&generate, arguments].concat(), &variables),
            b"",
        )
    }
}

#[track_caller]
fn assert_renders(run: Run, line: &str) {
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(String::from_utf8(run.stdout).unwrap(), config_map(line));
}

#[test]
fn a_project_reads_its_own_documents_before_shared_ones() {
    let app = Application::mounted("network.json");
    assert_renders(app.generate(&[], &[]), "vpc: vpc-0ab1");
    let own = NETWORK.replace("vpc-0ab1", "vpc-own");
    app.folder.write("mounted/team-a/network.json", own);
    assert_renders(app.generate(&[], &[]), "vpc: vpc-own");
}

#[test]
fn a_project_cannot_read_documents_of_another_one() {
    let app = Application::mounted("network.json");
    app.folder.write("mounted/team-b/secret.json", SECRET);
    app.folder.write("outside.json", SECRET);
    app.folder.write("mounted/team-a/x.json", "{}");
    for (link, target) in [
        ("mounted/team-a/link.json", "../team-b/secret.json"),
        ("mounted/team-a/out.json", "../../outside.json"),
        ("mounted/team-a/folder", "../team-b"),
    ] {
        symlink(target, app.folder.at(link)).unwrap();
    }
    for path in [
        "../team-b/secret.json",
        "a/../../team-b/secret.json",
        "link.json",
        "out.json",
        "folder/secret.json",
        "\"{team}/secret.json\"",
        "/etc/passwd",
    ] {
        let output = format!("{{name: network, from: {{mounted: {path}}}}}");
        let binding = format!(
            "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {{outputs: [{output}]}}\n"
        );
        app.folder.write("app/landfall.yaml", binding);
        let parameters = r#"[{"name": "team", "string": "../team-b"}]"#;
        let run = app.generate(&[], &[("ARGOCD_APP_PARAMETERS", parameters)]);
        run.assert_fails(1, &["error["]);
        assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);
    }
}

#[test]
fn a_project_whose_folder_cannot_be_opened_gets_no_shared_document() {
    let app = Application::mounted("network.json");
    app.folder.write("mounted/team-a", "a file");
    app.generate(&[], &[])
        .assert_fails(1, &["mounted:team-a/network.json"]);
    std::fs::remove_file(app.folder.at("mounted/team-a")).unwrap();
    symlink("team-a", app.folder.at("mounted/team-a")).unwrap();
    app.generate(&[], &[])
        .assert_fails(1, &["mounted:team-a/network.json"]);
    std::fs::remove_file(app.folder.at("mounted/team-a")).unwrap();
    app.folder.write("mounted/team-a/other.json", "{}");
    symlink("missing.json", app.folder.at("mounted/team-a/network.json")).unwrap();
    app.generate(&[], &[])
        .assert_fails(1, &["mounted:team-a/network.json"]);
}

#[test]
fn mounted_documents_require_a_project() {
    let app = Application::mounted("network.json");
    let mounted = ["generate", "--mounted-outputs", "../mounted"];
    for (variables, message) in [
        (&[][..], "Argo CD did not pass the Application's project"),
        (&[("ARGOCD_APP_PROJECT_NAME", "")], "did not pass"),
        (
            &[("ARGOCD_APP_PROJECT_NAME", "../team-b")],
            "ARGOCD_APP_PROJECT_NAME is not the name of a project",
        ),
        (
            &[("ARGOCD_APP_PROJECT_NAME", "_shared")],
            "is not the name of a project",
        ),
    ] {
        let run = finish(&mut app.command(&mounted, variables), b"");
        run.assert_fails(1, &[message, "for the operator: "]);
    }
    let run = finish(&mut app.command(&["generate"], &[]), b"");
    run.assert_fails(1, &["the operator of this plugin has mounted no outputs"]);
}

#[test]
fn mounted_documents_without_marks_are_sensitive() {
    let app = Application::mounted("network.yaml");
    let config_map =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: network}\ndata: {vpc_id: vpc-0ab1}\n";
    app.folder.write("mounted/_shared/network.yaml", config_map);
    let run = app.generate(&[], &[]);
    run.assert_fails(1, &["error[sensitive-output]"]);
    assert!(!run.stderr.contains("vpc-0ab1"), "{}", run.stderr);
    let public = app.generate(&["--mounted-outputs-public"], &[]);
    assert_renders(public, "vpc: vpc-0ab1");
}

#[test]
fn documents_of_a_kubernetes_volume_are_read() {
    let app = Application::mounted("network.json");
    app.folder
        .write("mounted/team-a/..2026_11_23/network.json", NETWORK);
    symlink("..2026_11_23", app.folder.at("mounted/team-a/..data")).unwrap();
    symlink(
        "..data/network.json",
        app.folder.at("mounted/team-a/network.json"),
    )
    .unwrap();
    assert_renders(app.generate(&[], &[]), "vpc: vpc-0ab1");
}

#[test]
fn a_document_that_is_not_mounted_yet_is_not_published() {
    let app = Application::mounted("\"{cluster}/network.json\"");
    let parameters = r#"[{"name": "cluster", "string": "prod"}]"#;
    let run = app.generate(&[], &[("ARGOCD_APP_PARAMETERS", parameters)]);
    run.assert_fails(
        1,
        &[
            "error[outputs-not-published]",
            "neither `mounted:team-a/prod/network.json` nor `mounted:_shared/prod/network.json` exists",
            "app/landfall.yaml:5:39",
        ],
    );
}

#[test]
fn outside_of_argo_cd_the_folder_itself_is_read() {
    let app = Application::mounted("network.json");
    let mounted = app
        .folder
        .run(&["render", "app", "--mounted-outputs", "mounted/_shared"]);
    assert_renders(mounted, "vpc: vpc-0ab1");
    let run = app.folder.run(&["render", "app"]);
    run.assert_fails(
        1,
        &["pass `--mounted-outputs DIR`, or bind the document: `-b network=FILE`"],
    );
    let bound = app.folder.run(&[
        "render",
        "app",
        "-b",
        "network=mounted/_shared/network.json",
    ]);
    assert_renders(bound, "vpc: vpc-0ab1");
}

#[test]
fn parameters_select_the_outputs_of_a_cluster() {
    let output = "{name: infra, from: {file: \"clusters/{cluster}.json\"}}";
    let app = Application::new(output, "vpc: ${infra.vpc_id}");
    app.folder.write("app/clusters/prod.json", NETWORK);
    let parameters = r#"[{"name": "cluster", "string": "prod"}]"#;
    let run = app.generate(&[], &[("ARGOCD_APP_PARAMETERS", parameters)]);
    assert_renders(run, "vpc: vpc-0ab1");
    let by_hand = app
        .folder
        .run(&["render", "app", "--param", "cluster=prod"]);
    assert_renders(by_hand, "vpc: vpc-0ab1");
    // A document that a flag binds needs no parameter.
    let bound = ["render", "app", "-b", "infra=app/clusters/prod.json"];
    assert_renders(app.folder.run(&bound), "vpc: vpc-0ab1");
    for unset in ["", "null", "[]"] {
        let run = app.generate(&[], &[("ARGOCD_APP_PARAMETERS", unset)]);
        run.assert_fails(
            1,
            &[
                "error[parameter-not-set]",
                "set the plugin parameter `cluster` in `plugin.parameters` of the Application (`plugin.env` sets none), or pass `--param cluster=VALUE`",
            ],
        );
    }
}

#[test]
fn a_parameter_can_be_an_outputs_document() {
    let output = "{name: cluster, from: {parameter: metadata}}";
    let app = Application::new(output, "vpc: ${cluster.vpc_id}");
    let generate = |value: &str| {
        let parameters = format!(r#"[{{"name": "metadata", {value}}}]"#);
        app.generate(&[], &[("ARGOCD_APP_PARAMETERS", &parameters)])
    };
    assert_renders(generate(r#""map": {"vpc_id": "0123"}"#), "vpc: \"0123\"");
    let document = serde_json::to_string(NETWORK).unwrap();
    assert_renders(
        generate(&format!("\"string\": {document}")),
        "vpc: vpc-0ab1",
    );
    generate(r#""array": ["vpc-0ab1"]"#).assert_fails(1, &["error[invalid-parameter]"]);
    generate(r#""map": {}"#).assert_fails(1, &["error[parameter-not-set]"]);
    // A secret in a parameter keeps its mark, and is not quoted.
    let secret = serde_json::to_string(&SECRET.replace("password", "vpc_id")).unwrap();
    let run = generate(&format!("\"string\": {secret}"));
    run.assert_fails(1, &["error[sensitive-output]"]);
    assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);
}

#[test]
fn outputs_can_be_in_the_binding() {
    let output = "{name: extra, from: {inline: {replicas: 2, zone: \"01\", tags: {team: web}}}}";
    let line = "all: ${extra.replicas}-${extra.zone}-${extra.tags.team}";
    let app = Application::new(output, line);
    assert_renders(app.generate(&[], &[]), "all: 2-01-web");
}

#[test]
fn argo_cd_shows_the_parameters() {
    let output = "{name: cluster, from: {parameter: metadata}}\n    - {name: infra, from: {file: \"{region}/{cluster}.json\"}}\n  contract: {cluster: {vpc_id: {type: string}}}";
    let app = Application::new(output, "a: b");
    let parameters = r#"[{"name": "cluster", "string": "prod"}]"#;
    let announced = |variables: &[(&str, &str)]| -> serde_json::Value {
        let run = finish(&mut app.command(&["parameters"], variables), b"");
        assert_eq!((run.code, &*run.stderr), (Some(0), ""));
        serde_json::from_slice(&run.stdout).unwrap()
    };
    assert_eq!(
        announced(&[("ARGOCD_APP_PARAMETERS", parameters)]),
        serde_json::json!([
            {
                "name": "metadata", "title": "metadata", "required": true,
                "tooltip": "the outputs of `cluster`: vpc_id (string)",
                "itemType": "string", "collectionType": "map",
            },
            {
                "name": "region", "title": "region", "required": true,
                "tooltip": "selects the outputs of `infra`: {region}/{cluster}.json",
                "itemType": "string", "collectionType": "",
            },
            {
                "name": "cluster", "title": "cluster", "required": true,
                "tooltip": "selects the outputs of `infra`: {region}/{cluster}.json",
                "itemType": "string", "collectionType": "", "string": "prod",
            },
        ])
    );
    // An application whose plugin fails here could not be shown.
    app.folder.write("app/landfall.yaml", "not: a Binding\n");
    assert_eq!(announced(&[]), serde_json::json!([]));
    app.folder.write("app/landfall.yaml", "[");
    assert_eq!(
        announced(&[("ARGOCD_APP_PARAMETERS", "[")]),
        serde_json::json!([])
    );
}

/// Argo CD passes no project to `parameters`.
#[test]
fn parameters_are_shown_without_a_project() {
    let app = Application::mounted("\"{cluster}/network.json\"");
    let flags = ["parameters", "--mounted-outputs", "../mounted"];
    let run = finish(&mut app.command(&flags, &[]), b"");
    let text = run.expect_stdout();
    assert!(text.contains("\"name\":\"cluster\""), "{text}");
}

/// Argo CD 3.0 and later pass variables that are empty.
#[test]
fn an_empty_variable_is_not_set() {
    let output = "{name: extra, from: {inline: {a: b}}}";
    let app = Application::new(output, "a: ${extra.a}");
    let empty = [
        ("ARGOCD_APP_PARAMETERS", ""),
        ("ARGOCD_APP_PROJECT_NAME", ""),
    ];
    assert_renders(app.generate(&[], &empty), "a: b");
}

#[test]
fn a_parameter_that_is_set_twice_is_an_error_of_the_application() {
    let app = Application::mounted("network.json");
    let parameters = r#"[{"name": "a", "string": "b"}, {"name": "a", "string": "c"}]"#;
    let run = app.generate(&[], &[("ARGOCD_APP_PARAMETERS", parameters)]);
    run.assert_fails(
        1,
        &[
            "error[invalid-parameter]: `ARGOCD_APP_PARAMETERS` has two parameters named `a`",
            "from the Application's `plugin.parameters`",
        ],
    );
}

#[test]
fn what_the_operator_forgot_is_reported_for_every_application() {
    let app = Application::mounted("network.json");
    app.folder.write("app/landfall.yaml", NO_OUTPUTS);
    for command in ["init", "generate"] {
        let run = |arguments: &[&str]| {
            let arguments = [&[command], arguments].concat();
            finish(&mut app.command(&arguments, &[]), b"")
        };
        run(&["--mounted-outputs", "../missing"])
            .assert_fails(1, &["--mounted-outputs", "../missing"]);
        run(&["--operator-policy", "../missing.yaml"]).assert_fails(1, &["../missing.yaml"]);
    }
    let init = app.command(&["init", "--mounted-outputs", "../mounted"], &[]);
    assert_eq!(finish(&mut { init }, b"").code, Some(0));
}

#[test]
fn init_checks_the_key_of_digests() {
    let app = Application::mounted("network.json");
    app.folder.write("keys/digest-key", "0123456789abcdef\n");
    app.folder.write("keys/empty", "\r\n");
    app.folder.write("keys/short", "hunter2");
    app.folder.write("app/own", "0123456789abcdef\n");
    let init = |file: &str, by_variable: bool| {
        let path = app.folder.at(file);
        let path = match file {
            "own" => file,
            _ => path.to_str().unwrap(),
        };
        let run = if by_variable {
            app.command(&["init"], &[("LANDFALL_DIGEST_KEY", path)])
        } else {
            app.command(&["init", "--digest-key", path], &[])
        };
        finish(&mut { run }, b"")
    };
    for (by_variable, named_by) in [(true, "LANDFALL_DIGEST_KEY"), (false, "--digest-key")] {
        assert_eq!(init("keys/digest-key", by_variable).expect_stdout(), "");
        for (file, why) in [
            ("keys/missing", "does not exist"),
            ("keys", "is a folder"),
            ("keys/empty", "it is empty"),
            (
                "keys/short",
                "a key has at least 16 bytes, but this one has 7",
            ),
            ("own", "an absolute path is required"),
        ] {
            let run = init(file, by_variable);
            run.assert_fails(1, &[&format!("named by {named_by}, "), why]);
            assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);
        }
    }
}

/// A Binding without outputs.
const NO_OUTPUTS: &str = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {outputs: []}\n";

/// Returns the plugin parameters with this digest.
fn digest_parameter(digest: &str) -> String {
    serde_json::json!([{"name": "outputs-digest", "string": digest}]).to_string()
}

impl Application {
    fn stamp(&self, arguments: &[&str]) -> Run {
        self.folder.run(&[&["stamp"], arguments].concat())
    }

    /// Runs `landfall cmp generate` with a deadline that leaves this many seconds to wait.
    fn generate_with_digest(&self, digest: &str, arguments: &[&str]) -> Run {
        let parameters = digest_parameter(digest);
        self.generate(arguments, &[("ARGOCD_APP_PARAMETERS", &parameters)])
    }
}

#[test]
fn a_render_has_the_outputs_that_the_application_asks_for() {
    let app = Application::mounted("network.json");
    let stamp = app.stamp(&["-b", "network=mounted/_shared/network.json"]);
    let digest = stamp.expect_stdout();
    let digest = digest.trim();
    let no_wait = ["--deadline", "10s"];
    assert_renders(app.generate_with_digest(digest, &no_wait), "vpc: vpc-0ab1");

    let newer = NETWORK.replace("vpc-0ab1", "vpc-new");
    app.folder.write("mounted/_shared/network.json", newer);
    let run = app.generate_with_digest(digest, &no_wait);
    run.assert_fails(
        1,
        &["error[outputs-digest]", "does not retry for 60 minutes"],
    );
    let malformed = app.generate_with_digest("sha256:0", &no_wait);
    malformed.assert_fails(1, &["error[outputs-digest]", "landfall stamp"]);
}

#[test]
fn a_render_waits_for_the_volume() {
    let app = Application::mounted("network.json");
    let newer = NETWORK.replace("vpc-0ab1", "vpc-new");
    app.folder.write("newer.json", &newer);
    let digest = app.stamp(&["-b", "network=newer.json"]).expect_stdout();
    let parameters = digest_parameter(digest.trim());
    let generate = [
        "generate",
        "--mounted-outputs",
        "../mounted",
        "--deadline",
        "60s",
    ];
    let variables = [
        ("ARGOCD_APP_PROJECT_NAME", "team-a"),
        ("ARGOCD_APP_PARAMETERS", &parameters),
    ];
    let mut command = app.command(&generate, &variables);
    let run = std::thread::scope(|scope| {
        let run = scope.spawn(move || finish(&mut command, b""));
        app.folder.write("mounted/_shared/network.json", &newer);
        run.join().unwrap()
    });
    assert_renders(run, "vpc: vpc-new");
}

#[test]
fn the_digest_of_sensitive_outputs_needs_a_key() {
    let app = Application::mounted("network.json");
    let both = r#"{
  "vpc_id": {"sensitive": false, "value": "vpc-0ab1"},
  "password": {"sensitive": true, "value": "hunter2"}
}"#;
    app.folder.write("mounted/_shared/network.json", both);
    app.folder.write("stamp.key", "0123456789abcdef\n");
    app.folder.write("short.key", "0123\n");
    let bound = ["-b", "network=mounted/_shared/network.json"];
    app.stamp(&bound)
        .assert_fails(1, &["error[outputs-digest]", "--digest-key FILE"]);
    let with_key = |key| [&bound[..], &["--digest-key", key]].concat();
    app.stamp(&with_key("short.key"))
        .assert_fails(1, &["at least 16 bytes"]);
    let digest = app.stamp(&with_key("stamp.key")).expect_stdout();
    assert!(digest.starts_with("hmac-sha256:"), "{digest}");

    let file = app.folder.at("stamp.key");
    let file = file.to_str().unwrap();
    let key = ["--deadline", "10s", "--digest-key", file];
    let keyed = app.generate_with_digest(digest.trim(), &key);
    assert_renders(keyed, "vpc: vpc-0ab1");
    let parameters = digest_parameter(digest.trim());
    let variables = |key| {
        [
            ("ARGOCD_APP_PARAMETERS", parameters.as_str()),
            ("LANDFALL_DIGEST_KEY", key),
        ]
    };
    let by_variable = app.generate(&[], &variables(file));
    assert_renders(by_variable, "vpc: vpc-0ab1");
    // Reported once: there is a key, but not where the operator said.
    let run = app.generate(&[], &variables("/none.key"));
    run.assert_fails(
        1,
        &["`/none.key`, named by LANDFALL_DIGEST_KEY, does not exist"],
    );
    assert!(!run.stderr.contains("outputs-digest"), "{}", run.stderr);
    let without = app.generate_with_digest(digest.trim(), &["--deadline", "10s"]);
    without.assert_fails(
        1,
        &["error[outputs-digest]", "for the operator: mount the key"],
    );
}

#[test]
fn a_digest_without_mounted_documents_is_an_error() {
    let output = "{name: extra, from: {inline: {a: b}}}";
    let app = Application::new(output, "a: ${extra.a}");
    let digest = format!("sha256:{}", "0".repeat(64));
    let run = app.generate_with_digest(&digest, &[]);
    run.assert_fails(1, &["error[outputs-digest]", "has no mounted documents"]);
}

#[test]
fn a_digest_without_a_key_confirms_no_guess() {
    let app = Application::mounted("network.json");
    let secret = r#"{"vpc_id": {"sensitive": true, "value": "hunter2"}}"#;
    app.folder.write("mounted/_shared/network.json", secret);
    // The digests of the right guess and of a wrong one.
    app.folder.write("key", "0123456789abcdef");
    let refused = |digest: &str| {
        let run = app.generate_with_digest(digest, &["--deadline", "10s"]);
        run.assert_fails(1, &["error[outputs-digest]", "verify guesses"]);
        run.stderr
    };
    let guess = |content: &str| {
        let public = content.replace("true", "false");
        app.folder.write("mounted/_shared/network.json", &public);
        let stamp = app.stamp(&["-b", "network=mounted/_shared/network.json"]);
        app.folder.write("mounted/_shared/network.json", secret);
        stamp.expect_stdout().trim().to_owned()
    };
    assert_eq!(
        refused(&guess(secret)),
        refused(&guess("{\"a\": {\"value\": true}}"))
    );
}

#[test]
fn waiting_does_not_use_up_the_input_limit() {
    let app = Application::mounted("network.json");
    let large = NETWORK.replace("vpc-0ab1", &"x".repeat(40_000));
    app.folder.write("mounted/_shared/network.json", large);
    let digest = format!("sha256:{}", "0".repeat(64));
    let limits = ["--deadline", "12s", "--max-input", "100KiB"];
    let run = app.generate_with_digest(&digest, &limits);
    run.assert_fails(1, &["error[outputs-digest]"]);
    assert!(!run.stderr.contains("input-too-large"), "{}", run.stderr);
}

/// The Binding names a format that `stamp` does not detect.
#[test]
fn public_documents_without_marks_are_stamped_as_they_are_rendered() {
    let config_map =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: network}\ndata: {vpc_id: vpc-0ab1}\n";
    for (format, content) in [
        ("", config_map),
        (", format: json", "{\"vpc_id\": \"vpc-0ab1\"}"),
        (", format: yaml", "vpc_id: vpc-0ab1\n"),
    ] {
        let output = format!("{{name: network, from: {{mounted: network.doc}}{format}}}");
        let app = Application::new(&output, "vpc: ${network.vpc_id}");
        app.folder.write("mounted/_shared/network.doc", content);
        let bound = ["-b", "network=mounted/_shared/network.doc"];
        let public = "--mounted-outputs-public";
        let digest = app.stamp(&[&bound[..], &[public]].concat());
        let digest = digest.expect_stdout();
        let run = app.generate_with_digest(digest.trim(), &["--deadline", "10s", public]);
        assert_renders(run, "vpc: vpc-0ab1");
        // Without the operator's flag they may be sensitive, here as there.
        let run = app.generate_with_digest(digest.trim(), &["--deadline", "10s"]);
        run.assert_fails(1, &["error[outputs-digest]", "--digest-key FILE"]);
        app.stamp(&bound)
            .assert_fails(1, &["error[outputs-digest]"]);
    }
}
