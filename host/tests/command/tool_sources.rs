//! `adopt`, `migrate` and `explain` in folders that another tool builds: they are about the
//! files from which it builds, and run no tool.

use std::path::Path;

use landfall_test_support::skip;

use crate::run::TestFolder;

const OUTPUTS: &str = r#"{
  "vpc_id": {"sensitive": false, "type": "string", "value": "vpc-0ab1c2d3"},
  "domain": {"sensitive": false, "type": "string", "value": "example.com"},
  "password": {"sensitive": true, "type": "string", "value": "hunter2-hunter2"}
}
"#;

const KUSTOMIZATION: &str = "resources: [../../base]
configMapGenerator:
- name: settings
  literals: [\"vpc=vpc-0ab1c2d3\"]
  files: [app.properties]
  envs: [.env]
secretGenerator:
- name: db
  files: [token.txt]
patches:
- path: patch.yaml
";

/// A repository with the application `apps/web`, the Binding of which has this `spec`.
fn repository(spec: &str) -> TestFolder {
    let folder = TestFolder::new();
    folder.write("infra.json", OUTPUTS);
    folder.write(
        "apps/web/landfall.yaml",
        format!(
            "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n{spec}  outputs:\n  - {{name: infra, from: {{file: ../../infra.json}}}}\n"
        ),
    );
    folder
}

/// A ConfigMap of this name, with one line of data.
fn config_map(name: &str, line: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata:\n  {line}\n")
}

/// A kustomization with these texts in the files that it reads, where `${x}` is replaced by `value`.
fn kustomization(spec: &str, vpc: &str, domain: &str, password: &str) -> TestFolder {
    let folder = repository(spec);
    folder.write("base/kustomization.yaml", "resources: [a.yaml]\n");
    folder.write(
        "base/a.yaml",
        config_map("a", &format!("vpc: {vpc} # kept")),
    );
    folder.write("apps/web/kustomization.yaml", KUSTOMIZATION);
    folder.write(
        "apps/web/patch.yaml",
        config_map("a", &format!("host: shop.{domain}")),
    );
    folder.write(
        "apps/web/app.properties",
        format!("# settings\nvpc = {vpc}\n"),
    );
    folder.write("apps/web/.env", format!("HOST={domain}\n"));
    folder.write("apps/web/token.txt", format!("token {password}\n"));
    // kustomize does not read it.
    folder.write(
        "apps/web/other.yaml",
        config_map("other", &format!("vpc: {vpc}")),
    );
    folder
}

fn run(folder: &TestFolder, arguments: &[&str]) -> String {
    folder
        .run(&[arguments, &["--root", "."]].concat())
        .expect_stdout()
}

#[test]
fn adopt_changes_the_files_of_a_kustomization() {
    let spec = "  tool: kustomize\n";
    let folder = kustomization(spec, "vpc-0ab1c2d3", "example.com", "none");
    let before = folder.snapshot();
    let text = run(&folder, &["adopt", "apps/web"]);
    for part in [
        "apps/web/kustomization.yaml:4: not replaced: equals infra.vpc_id, but another tool reads this file\n",
        "base/a.yaml:5: infra.vpc_id\n-   vpc: vpc-0ab1c2d3 # kept\n+   vpc: ${infra.vpc_id} # kept\n",
        "apps/web/patch.yaml:5: infra.domain\n-   host: shop.example.com\n+   host: shop.${infra.domain}\n",
        "apps/web/app.properties:2: infra.vpc_id\n- vpc = vpc-0ab1c2d3\n+ vpc = ${infra.vpc_id}\n",
        "apps/web/.env:1: infra.domain\n- HOST=example.com\n+ HOST=${infra.domain}\n",
        "4 values to replace: `--write` replaces them; 1 not replaced\n",
    ] {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
    assert!(!text.contains("other.yaml"), "{text}");
    assert_eq!(folder.snapshot(), before);

    run(&folder, &["adopt", "apps/web", "--write"]);
    let expected = kustomization(spec, "${infra.vpc_id}", "${infra.domain}", "none");
    for path in [
        "base/a.yaml",
        "apps/web/patch.yaml",
        "apps/web/app.properties",
        "apps/web/.env",
    ] {
        assert_eq!(folder.read(path), expected.read(path), "{path}");
    }
    assert_eq!(folder.read("apps/web/kustomization.yaml"), KUSTOMIZATION);
}

#[test]
fn only_the_named_files_of_a_kustomization_are_changed() {
    let folder = kustomization("  tool: kustomize\n", "vpc-0ab1c2d3", "example.com", "none");
    let text = run(&folder, &["adopt", "apps/web/patch.yaml", "--write"]);
    assert!(text.ends_with("1 value replaced\n"), "{text}");
    assert!(
        folder
            .read("apps/web/patch.yaml")
            .contains("${infra.domain}")
    );
    assert!(folder.read("base/a.yaml").contains("vpc-0ab1c2d3"));
    let arguments = ["adopt", "apps/web/other.yaml", "--root", "."];
    let other = folder.run(&arguments);
    other.assert_input_error(&["error[not-in-application]", "`apps/web/other.yaml`"]);
    let explained = run(&folder, &["explain", "apps/web/patch.yaml"]);
    assert!(
        explained.contains("apps/web/patch.yaml:5:14"),
        "{explained}"
    );
    assert_eq!(explained.lines().count(), 2, "{explained}");
}

#[test]
fn adopt_shows_no_secret_of_a_kustomization() {
    let folder = kustomization(
        "  tool: kustomize\n",
        "hunter2-hunter2",
        "example.com",
        "hunter2-hunter2",
    );
    let text = run(&folder, &["adopt", "apps/web"]);
    assert!(!text.contains("hunter2"), "{text}");
    for part in [
        "base/a.yaml:5: not replaced: contains the value of the sensitive output infra.password\n",
        "apps/web/app.properties:2: not replaced: contains the value of the sensitive output infra.password\n",
        "apps/web/token.txt:1: infra.password\n- (concealed)\n+ ${infra.password}\n",
    ] {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
}

#[test]
fn migrate_changes_the_files_of_a_kustomization_and_its_binding() {
    let spec = "  tool: kustomize\n  dialect: flux\n";
    let folder = kustomization(spec, "${vpc_id}", "${domain:=example.org}", "${password}");
    let literal = KUSTOMIZATION.replace("vpc=vpc-0ab1c2d3", "vpc=${vpc_id}");
    folder.write("apps/web/kustomization.yaml", &literal);
    let text = run(
        &folder,
        &["migrate", "--from", "flux", "apps/web", "--write"],
    );
    assert!(text.ends_with("7 changes written\n"), "{text}");
    // The secret of a generator may be next to it.
    assert!(
        text.contains("apps/web/kustomization.yaml:4\n- (concealed)\n"),
        "{text}"
    );
    let expected = kustomization(
        "  tool: kustomize\n  dialect: landfall\n",
        "${infra.vpc_id}",
        "${infra.domain | default('example.org')}",
        "${infra.password}",
    );
    let migrated = literal.replace("${vpc_id}", "${infra.vpc_id}");
    expected.write("apps/web/kustomization.yaml", migrated);
    for path in [
        "base/a.yaml",
        "apps/web/kustomization.yaml",
        "apps/web/landfall.yaml",
        "apps/web/app.properties",
        "apps/web/token.txt",
    ] {
        assert_eq!(folder.read(path), expected.read(path), "{path}");
    }
}

/// One dialect renders a file in all of its uses.
#[test]
fn a_file_with_several_uses_is_not_migrated() {
    let spec = "  tool: kustomize\n  dialect: flux\n";
    let folder = kustomization(spec, "${vpc_id}", "${domain}", "${password}");
    let kustomization = KUSTOMIZATION.replace("[app.properties]", "[patch.yaml]");
    folder.write("apps/web/kustomization.yaml", kustomization);
    let before = folder.snapshot();
    let arguments = [
        "migrate", "--from", "flux", "apps/web", "--root", ".", "--write",
    ];
    let run = folder.run(&arguments);
    run.assert_input_error(&[
        "error[not-migrated]",
        "--> apps/web/patch.yaml:1:1",
        "several uses",
    ]);
    assert_eq!(folder.snapshot(), before);
}

#[test]
fn explain_lists_the_references_of_a_kustomization() {
    let folder = kustomization(
        "  tool: kustomize\n",
        "${infra.vpc_id}",
        "${infra.domain}",
        "${infra.password}",
    );
    let literal = KUSTOMIZATION.replace("vpc=vpc-0ab1c2d3", "vpc=${infra.vpc_id}");
    folder.write("apps/web/kustomization.yaml", literal);
    let text = run(&folder, &["explain", "apps/web"]);
    let rows: Vec<(&str, bool)> = text
        .lines()
        .skip(1)
        .map(|line| {
            (
                line.split("  ").next().unwrap(),
                line.contains("vpc-0ab1c2d3"),
            )
        })
        .collect();
    let expected = [
        ("apps/web/kustomization.yaml:4:19", true),
        ("base/a.yaml:5:8", true),
        ("apps/web/patch.yaml:5:14", false),
        ("apps/web/app.properties:2:7", true),
        ("apps/web/.env:1:6", false),
        ("apps/web/token.txt:1:7", false),
    ];
    for row in expected {
        assert!(rows.contains(&row), "{row:?} is not in:\n{text}");
    }
    assert_eq!(rows.len(), expected.len(), "{text}");
    for part in [
        "ConfigMap/settings data[\"app.properties\"]",
        "Secret/db stringData",
        "(sensitive)",
    ] {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
    assert!(!text.contains("hunter2"), "{text}");
    let json = run(&folder, &["explain", "apps/web", "-o", "json"]);
    assert!(
        !json.contains("\"result\"") && !json.contains("hunter2"),
        "{json}"
    );
}

/// It is in several applications, and in one repository.
#[test]
fn a_base_is_changed_once_if_its_overlays_agree() {
    let folder = repository("  tool: kustomize\n");
    folder.write("base/kustomization.yaml", "resources: [a.yaml]\n");
    folder.write("base/a.yaml", config_map("a", "vpc: vpc-0ab1c2d3"));
    folder.write("apps/web/kustomization.yaml", "resources: [../../base]\n");
    let binding = folder.read("apps/web/landfall.yaml");
    folder.write("apps/api/landfall.yaml", &binding);
    folder.write("apps/api/kustomization.yaml", "resources: [../../base]\n");
    let text = run(&folder, &["adopt", "apps"]);
    assert!(text.starts_with("base/a.yaml:5: infra.vpc_id\n"), "{text}");
    assert!(
        text.ends_with("1 value to replace: `--write` replaces them\n"),
        "{text}"
    );
    // With its outputs, the other one would be built to something else.
    folder.write(
        "apps/api/landfall.yaml",
        binding.replace("infra.json", "other.json"),
    );
    folder.write(
        "other.json",
        OUTPUTS.replace("vpc-0ab1c2d3", "vpc-0cd2e3f4"),
    );
    let before = folder.snapshot();
    let text = run(&folder, &["adopt", "apps", "--write"]);
    assert_eq!(
        text,
        "base/a.yaml:5: not replaced: equals infra.vpc_id, but not in all applications that read this file\nno values to replace; 1 not replaced\n"
    );
    assert_eq!(folder.snapshot(), before);
}

#[test]
fn what_all_overlays_replace_is_replaced_beside_what_they_do_not() {
    let lines = ["vpc: vpc-0ab1c2d3", "region: eu-central-1"];
    let dev = "vpc_id=vpc-0ab1c2d3 region=eu-central-1";
    let prod = "vpc_id=vpc-9zz9z9z9 region=eu-central-1";
    for order in ORDERS {
        let folder = overlays("", &lines, dev, prod);
        let text = run(&folder, &[&["adopt", "--write"], &order[..]].concat());
        for part in [
            "base/a.yaml:5: not replaced: equals infra.vpc_id, but not in all applications that read this file\n",
            "base/a.yaml:6: infra.region\n",
            "1 value replaced; 1 not replaced\n",
        ] {
            assert!(text.contains(part), "`{part}` is not in:\n{text}");
        }
        let expected = config_map("a", "vpc: vpc-0ab1c2d3\n  region: ${infra.region}");
        assert_eq!(folder.read("base/a.yaml"), expected);
    }
}

/// The overlays `dev` and `prod` of a base with these lines of data, each with a Binding with
/// this `spec` and these strings as outputs. The password of `prod` is a sensitive output.
fn overlays(spec: &str, lines: &[&str], dev: &str, prod: &str) -> TestFolder {
    let folder = TestFolder::new();
    folder.write("base/kustomization.yaml", "resources: [a.yaml]\n");
    folder.write("base/a.yaml", config_map("a", &lines.join("\n  ")));
    for (name, outputs) in [("dev", dev), ("prod", prod)] {
        let kustomization = "resources: [../base]\n";
        folder.write(&format!("{name}/kustomization.yaml"), kustomization);
        folder.write(
            &format!("{name}/landfall.yaml"),
            format!(
                "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  tool: kustomize\n{spec}  outputs:\n  - {{name: infra, from: {{file: ../{name}.json}}}}\n"
            ),
        );
        let outputs = outputs.split(' ').map(|output| {
            let (name, value) = output.split_once('=').unwrap();
            let is_sensitive = name == "password";
            format!(
                r#""{name}": {{"sensitive": {is_sensitive}, "type": "string", "value": "{value}"}}"#
            )
        });
        let outputs = outputs.collect::<Vec<_>>().join(", ");
        folder.write(&format!("{name}.json"), format!("{{{outputs}}}"));
    }
    folder
}

const ORDERS: [[&str; 2]; 2] = [["dev", "prod"], ["prod", "dev"]];

#[test]
fn adopt_keeps_a_line_that_is_sensitive_to_another_overlay() {
    let line = "url: vpc-9zz9z9z9/hunter2-hunter2";
    for order in ORDERS {
        let prod = "vpc_id=vpc-0ab1c2d3 password=hunter2-hunter2";
        let folder = overlays("", &[line], "vpc_id=vpc-9zz9z9z9", prod);
        let before = folder.snapshot();
        let text = run(&folder, &[&["adopt", "--write"], &order[..]].concat());
        assert_eq!(
            text,
            "base/a.yaml:5: not replaced: contains the value of the sensitive output infra.password\nno values to replace; 1 not replaced\n"
        );
        assert_eq!(folder.snapshot(), before);
    }
}

#[test]
fn migrate_conceals_a_line_that_is_sensitive_to_another_overlay() {
    let line = "url: ${vpc_id}/hunter2-hunter2";
    for order in ORDERS {
        let prod = "vpc_id=vpc-0ab1c2d3 password=hunter2-hunter2";
        let spec = "  dialect: flux\n";
        let folder = overlays(spec, &[line], "vpc_id=vpc-9zz9z9z9", prod);
        let text = run(
            &folder,
            &[&["migrate", "--from", "flux"], &order[..]].concat(),
        );
        assert!(!text.contains("hunter2"), "{text}");
        let part = "base/a.yaml:5\n- (concealed)\n+ ${infra.vpc_id}\n";
        assert!(text.contains(part), "{text}");
        assert!(
            text.ends_with("3 changes: `--write` writes them\n"),
            "{text}"
        );
    }
}

#[test]
fn a_base_waits_for_the_bindings_of_all_overlays() {
    let lines = [
        "image: nginx:1.0 # kpt-set: nginx:${tag}",
        "reg: old # kpt-set: ${reg}",
    ];
    for order in ORDERS {
        let spec = "  dialect: kpt-set\n";
        let folder = overlays(spec, &lines, "tag=3.0", "tag=2.0 reg=r.io");
        let before = folder.snapshot();
        let migrate = ["migrate", "--from", "kpt-set"];
        let waits = "base/a.yaml waits until all manifests of its Binding are migrated\n";
        for (flags, waits) in [
            (&["--partial", "--write"][..], waits.to_owned()),
            (&[], format!("with --partial, {waits}")),
        ] {
            let run = folder.run(&[&migrate, flags, &order, &["--root", "."]].concat());
            assert_eq!(run.code, Some(0), "{}", run.stderr);
            let text = String::from_utf8(run.stdout).unwrap();
            assert_eq!(text.matches(&waits).count(), 1, "{text}");
            for name in order {
                let kept = format!("{name}/landfall.yaml is not changed: set its `spec.dialect`");
                assert!(text.contains(&kept), "{text}");
            }
            assert_eq!(folder.snapshot(), before);
        }
    }
}

#[test]
fn migrate_promises_no_change_on_which_overlays_differ() {
    let spec = "  dialect: flux\n";
    let lines = ["vpc: ${vpc_id}"];
    let folder = overlays(spec, &lines, "vpc_id=vpc-9zz9z9z9", "vpc_id=vpc-0ab1c2d3");
    let binding = folder.read("prod/landfall.yaml");
    let binding = binding.replace("name: infra", "name: network");
    folder.write("prod/landfall.yaml", binding);
    let before = folder.snapshot();
    for flags in [&[][..], &["--write"], &["--write", "--partial"]] {
        let arguments = ["migrate", "--from", "flux", "dev", "prod", "--root", "."];
        let refused = folder.run(&[&arguments, flags].concat());
        refused.assert_input_error(&["base/a.yaml", "different results", "nothing was written"]);
        assert!(refused.stdout.is_empty());
        assert_eq!(folder.snapshot(), before);
    }
}

#[test]
fn a_base_is_not_changed_for_overlays_that_no_argument_names() {
    let outputs = "vpc_id=vpc-0ab1c2d3";
    let hard_coded = overlays("", &["vpc: vpc-0ab1c2d3"], outputs, outputs);
    let flux = overlays("  dialect: flux\n", &["vpc: ${vpc_id}"], outputs, outputs);
    for (folder, command) in [
        (hard_coded, &["adopt"][..]),
        (flux, &["migrate", "--from", "flux"]),
    ] {
        // Each includes the base in its own way, and no Binding says so.
        let component = "kind: Component\nresources: [../base/a.yaml]\n";
        folder.write("part/kustomization.yaml", component);
        folder.write("test/kustomization.yaml", "components: [../part]\n");
        folder.write("other/kustomization.yaml", "resources: [a.yaml]\n");
        folder.write("other/a.yaml", config_map("a", "vpc: vpc-0ab1c2d3"));
        let before = folder.snapshot();
        let found = "[shared-file]: `base/a.yaml` changes for `prod` and 1 more kustomization, too, which no argument names as a whole\n";
        let help = "so that what it builds is checked: `prod`, `test`\n";
        let shown = folder.run(&[command, &["dev", "--root", "."]].concat());
        assert_eq!(shown.code, Some(0), "{}", shown.stderr);
        assert!(
            shown.stderr.contains(&format!("warning{found}")),
            "{}",
            shown.stderr
        );
        assert!(shown.stderr.contains(help), "{}", shown.stderr);
        assert!(!shown.stdout.is_empty());
        let refused = folder.run(&[command, &["dev", "--write", "--root", "."]].concat());
        let error = format!("error{found}");
        refused.assert_input_error(&[&error, help, "nothing was written"]);
        assert!(refused.stdout.is_empty());
        assert_eq!(folder.snapshot(), before);

        folder.write("test/landfall.yaml", folder.read("dev/landfall.yaml"));
        let all = [command, &["dev", "prod", "test", "--write", "--root", "."]].concat();
        let written = folder.run(&all);
        assert_eq!(written.code, Some(0), "{}", written.stderr);
        assert!(
            !written.stderr.contains("shared-file"),
            "{}",
            written.stderr
        );
        let expected = config_map("a", "vpc: ${infra.vpc_id}");
        assert_eq!(folder.read("base/a.yaml"), expected);
    }
}

/// Each is the kustomization of an overlay that kustomize builds from the base, with another file.
#[test]
fn no_reader_of_a_base_is_overlooked() {
    let outputs = "vpc_id=vpc-0ab1c2d3";
    let tagged = "resources: [../base]\nnamePrefix: !!str a\n";
    let in_two = "{nameSuffix: \"${\", resources: [../base], namePrefix: \"}\"}\n";
    let utf_16: Vec<u8> = "resources: [../base]\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let utf_16 = [&[0xff, 0xfe][..], &utf_16].concat();
    let transformer =
        "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: x}\npath: ../base/a.yaml\n";
    for (kustomization, other) in [
        (&b"\xef\xbb\xbfresources: [../base]\n"[..], None),
        (&utf_16[..], None),
        (&b"resources: [../base]\n---\na: b\n"[..], None),
        (&b"%YAML 1.1\n---\nresources: [../base]\n"[..], None),
        (tagged.as_bytes(), None),
        (in_two.as_bytes(), None),
        (&b"Resources: [../base]\n"[..], None),
        (
            &b"transformers: [t.yaml]\n"[..],
            Some(("other/t.yaml", transformer)),
        ),
        (
            &b"transformers: [../plugins]\n"[..],
            Some(("plugins/t.yaml", transformer)),
        ),
    ] {
        let folder = overlays("", &["vpc: vpc-0ab1c2d3"], outputs, outputs);
        folder.write("other/kustomization.yaml", kustomization);
        folder.write("plugins/kustomization.yaml", "resources: [t.yaml]\n");
        if let Some((path, text)) = other {
            folder.write(path, text);
        }
        let refused = folder.run(&["adopt", "dev", "prod", "--write", "--root", "."]);
        let shown = String::from_utf8_lossy(kustomization);
        assert!(
            refused
                .stderr
                .contains("error[shared-file]: `base/a.yaml` changes for `other`"),
            "{shown}: {}",
            refused.stderr
        );
    }
}

#[cfg(unix)]
#[test]
fn readers_behind_links_are_found() {
    use std::os::unix::fs::symlink;

    let outputs = "vpc_id=vpc-0ab1c2d3";
    for (link, target, resources) in [
        ("base2", "base", "../base2"),
        ("other/link", "../base", "link"),
        ("other/a.yaml", "../base/a.yaml", "a.yaml"),
    ] {
        let folder = overlays("", &["vpc: vpc-0ab1c2d3"], outputs, outputs);
        folder.write(
            "other/kustomization.yaml",
            format!("resources: [{resources}]\n"),
        );
        symlink(target, folder.at(link)).unwrap();
        let refused = folder.run(&["adopt", "dev", "prod", "--write", "--root", "."]);
        refused.assert_input_error(&["error[shared-file]", "`other`"]);
    }
}

/// What an application includes, or what is named in part, was not checked as a whole.
#[test]
fn an_overlay_that_is_only_included_or_named_in_part_counts_as_not_named() {
    let outputs = "vpc_id=vpc-0ab1c2d3";
    let folder = overlays("", &["vpc: vpc-0ab1c2d3"], outputs, "vpc_id=vpc-9zz9z9z9");
    folder.write("dev/kustomization.yaml", "resources: [../prod]\n");
    let refused = folder.run(&["adopt", "dev", "--write", "--root", "."]);
    refused.assert_input_error(&["error[shared-file]", "`prod`"]);

    let folder = overlays("", &["vpc: vpc-0ab1c2d3"], outputs, "vpc_id=vpc-9zz9z9z9");
    let part = "prod/kustomization.yaml";
    let refused = folder.run(&["adopt", "dev", part, "--write", "--root", "."]);
    refused.assert_input_error(&["error[shared-file]", "`prod`"]);
}

/// Without a Binding, it is a folder of manifests.
#[test]
fn a_base_that_is_named_itself_is_not_changed_for_its_overlays() {
    let outputs = "vpc_id=vpc-0ab1c2d3";
    for base in ["base", "base/"] {
        let folder = overlays("", &["vpc: vpc-0ab1c2d3"], outputs, outputs);
        let adopt = [
            "adopt",
            base,
            "--root",
            ".",
            "-b",
            "infra=dev.json",
            "--write",
        ];
        let before = folder.snapshot();
        let found =
            "error[shared-file]: `base/a.yaml` changes for `dev` and 1 more kustomization, too";
        folder.run(&adopt).assert_input_error(&[found, "prod"]);
        assert_eq!(folder.snapshot(), before);
        // A file is named for its own sake.
        let adopt = [
            "adopt",
            "base/a.yaml",
            "--root",
            ".",
            "-b",
            "infra=dev.json",
            "--write",
        ];
        folder.run(&adopt).expect_stdout();
        let expected = config_map("a", "vpc: ${infra.vpc_id}");
        assert_eq!(folder.read("base/a.yaml"), expected);
    }
}

#[test]
fn what_an_overlay_alone_reads_is_changed() {
    let outputs = "vpc_id=vpc-0ab1c2d3";
    let folder = overlays("", &["vpc: other"], outputs, outputs);
    let patches = "resources: [../base]\npatches: [{path: patch.yaml}]\n";
    folder.write("dev/kustomization.yaml", patches);
    folder.write("dev/patch.yaml", config_map("a", "vpc: vpc-0ab1c2d3"));
    let written = folder.run(&["adopt", "dev", "--write", "--root", "."]);
    assert_eq!(written.code, Some(0), "{}", written.stderr);
    assert!(written.stderr.is_empty(), "{}", written.stderr);
    let expected = config_map("a", "vpc: ${infra.vpc_id}");
    assert_eq!(folder.read("dev/patch.yaml"), expected);
}

/// A chart with these values, and a template with another reference.
fn chart(spec: &str, values: &str, reference: &str) -> TestFolder {
    let folder = repository(spec);
    folder.write(
        "apps/web/Chart.yaml",
        "apiVersion: v2\nname: web\nversion: 1.0.0\n",
    );
    folder.write("apps/web/values.yaml", values);
    let template = config_map("{{ .Release.Name }}", reference);
    folder.write("apps/web/templates/a.yaml", template);
    folder
}

#[test]
fn the_values_of_a_chart_are_changed_and_explained() {
    let values = "# shared\nvpc: vpc-0ab1c2d3\nhost: shop.example.com\n";
    let folder = chart("  tool: helm\n", values, "a: ${infra.password}");
    let text = run(&folder, &["adopt", "apps/web", "--write"]);
    assert!(text.ends_with("2 values replaced\n"), "{text}");
    let values = "# shared\nvpc: ${infra.vpc_id}\nhost: shop.${infra.domain}\n";
    assert_eq!(folder.read("apps/web/values.yaml"), values);
    let text = run(&folder, &["explain", "apps/web"]);
    let rows: Vec<&str> = text.lines().skip(1).collect();
    assert!(rows[0].starts_with("apps/web/values.yaml:2:6"), "{text}");
    assert!(rows[1].starts_with("apps/web/values.yaml:3:12"), "{text}");
    assert_eq!(rows.len(), 2, "{text}");
    // Only a template uses it.
    let unused = run(&folder, &["explain", "apps/web", "--unused"]);
    assert!(!unused.contains("infra.password"), "{unused}");
    folder.write("apps/web/values.yaml", "a: b\n");
    let unused = run(&folder, &["explain", "apps/web", "--unused"]);
    assert!(unused.contains("infra.vpc_id"), "{unused}");
}

#[test]
fn a_secret_in_the_values_of_a_chart_is_not_shown() {
    let values = "password: hunter2-hunter2\ntext: \"{{ hunter2-hunter2 }}\"\n";
    let folder = chart("  tool: helm\n", values, "a: b");
    let text = run(&folder, &["adopt", "apps/web"]);
    assert!(!text.contains("hunter2"), "{text}");
    assert!(
        text.contains("apps/web/values.yaml:1: not replaced"),
        "{text}"
    );
    folder.write("apps/web/values.yaml", "password: ${infra.password}\n");
    let explained = folder.run(&["explain", "apps/web", "--root", "."]);
    explained.assert_input_error(&["error[sensitive-output]", "apps/web/values.yaml:1:11"]);
    assert!(
        !explained.stderr.contains("hunter2"),
        "{}",
        explained.stderr
    );
}

/// A template is rendered in the dialect of the Binding too.
#[test]
fn a_chart_is_migrated_if_only_its_values_have_references() {
    let spec = "  tool: helm\n  dialect: flux\n";
    let folder = chart(spec, "vpc: ${vpc_id}\n", "a: ${domain}");
    let before = folder.snapshot();
    let arguments = [
        "migrate", "--from", "flux", "apps/web", "--root", ".", "--write",
    ];
    let refused = folder.run(&arguments);
    refused.assert_input_error(&["error[not-migrated]", "`apps/web/templates/a.yaml`"]);
    assert_eq!(folder.snapshot(), before);
    folder.write("apps/web/templates/a.yaml", config_map("a", "a: b"));
    let text = folder.run(&arguments).expect_stdout();
    assert!(text.ends_with("2 changes written\n"), "{text}");
    assert_eq!(
        folder.read("apps/web/values.yaml"),
        "vpc: ${infra.vpc_id}\n"
    );
    assert!(
        folder
            .read("apps/web/landfall.yaml")
            .contains("dialect: landfall")
    );
}

/// They are changed where they are, whatever another tool makes of them.
#[test]
fn files_of_another_tool_do_not_prevent_changes() {
    let names = [
        "kustomization.yaml",
        "Chart.yaml",
        "helmfile.yaml",
        "a.jsonnet",
    ];
    for (spec, is_refused) in [("", true), ("  tool: none\n", false)] {
        let folder = repository(spec);
        for name in names {
            folder.write(&format!("apps/web/below/{name}"), "a: vpc-0ab1c2d3\n");
        }
        folder.write(
            "apps/web/below/a.yaml",
            config_map("a", "vpc: vpc-0ab1c2d3"),
        );
        let render = folder.run(&["explain", "apps/web", "--root", "."]);
        assert_eq!(render.stderr.contains("error[other-tool]"), is_refused);
        let adopted = run(&folder, &["adopt", "apps/web"]);
        assert_eq!(
            adopted,
            "apps/web/below/a.yaml:5: infra.vpc_id\n-   vpc: vpc-0ab1c2d3\n+   vpc: ${infra.vpc_id}\n1 value to replace: `--write` replaces them\n"
        );
        folder.write("apps/web/b.yaml", config_map("b", "vpc: ${vpc_id}"));
        let migrated = run(&folder, &["migrate", "--from", "flux", "apps/web"]);
        assert_eq!(
            migrated,
            "apps/web/b.yaml:5\n-   vpc: ${vpc_id}\n+   vpc: ${infra.vpc_id}\n1 change: `--write` writes them\n"
        );
    }
}

fn copy(from: &Path, folder: &TestFolder, to: &str) {
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = format!("{to}/{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            copy(&path, folder, &to);
        } else {
            folder.write(&to, std::fs::read(&path).unwrap());
        }
    }
}

#[needs(corpora)]
#[test]
fn real_repositories_of_flux_are_migrated_as_without_a_tool() {
    let Some(corpora) = skip::corpora() else {
        return;
    };
    for name in ["ahgraber", "toboshii", "xunholy"] {
        let name = format!("flux-{name}");
        let outputs = corpora.join(format!("outputs/terraform-output/{name}.json"));
        let domain =
            r#"{"SECRET_DOMAIN": {"sensitive": false, "type": "string", "value": "example.com"}}"#;
        let outputs = std::fs::read(outputs).unwrap_or_else(|_| domain.into());
        let migrate = |binding: Option<&str>| {
            let folder = TestFolder::new();
            copy(&corpora.join(&name), &folder, "flux");
            if let Some(binding) = binding {
                folder.write("flux/landfall.yaml", binding);
            }
            folder.write("infra.json", &outputs);
            let run = folder.run(&[
                "migrate",
                "--from",
                "flux",
                "flux",
                "-b",
                "infra.json",
                "--root",
                ".",
            ]);
            assert_eq!(run.code, Some(0), "{name}: {}", run.stderr);
            String::from_utf8(run.stdout).unwrap()
        };
        let binding = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {tool: none}\n";
        let text = migrate(None);
        assert!(text.lines().count() > 100, "{name}: {text}");
        assert!(text == migrate(Some(binding)), "{name}");
    }
}

/// The module has another path than the file, to which the values are not written.
#[cfg(target_os = "linux")]
#[test]
fn values_whose_path_is_not_utf_8_are_an_error() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = chart("  tool: helm\n", "a: b\n", "a: b");
    let name = std::ffi::OsStr::from_bytes(b"values-\xff.yaml");
    std::fs::write(folder.path().join(name), "vpc: vpc-0ab1c2d3\n").unwrap();
    let link = folder.at("apps/web/values.yaml");
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(Path::new("../..").join(name), link).unwrap();
    let run = folder.run(&["adopt", "apps/web", "--root", "."]);
    run.assert_input_error(&["`values-\u{fffd}.yaml`", "its name is not UTF-8"]);
}
