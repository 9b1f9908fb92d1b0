use std::path::PathBuf;

use landfall_sandbox::types::{BuiltInCeiling, Parameter, ParameterValue};

use super::Environment;
use crate::settings::{Command, Destination, InputPath, Limits, Policies, Settings, Verbosity};

fn parse(arguments: &str) -> Result<Settings, clap::Error> {
    let environment = Environment {
        variable: &|_| None,
        stderr_is_terminal: false,
    };
    super::parse(arguments.split(' ').map(Into::into).collect(), &environment)
}

fn path(text: &str) -> InputPath {
    InputPath::Path(PathBuf::from(text))
}

#[track_caller]
fn usage_error(arguments: &str, part: &str) {
    let error = parse(arguments).expect_err("a usage error");
    assert_eq!(error.exit_code(), 2, "{error}");
    assert!(error.to_string().contains(part), "{error}");
}

#[test]
fn the_path_defaults_to_the_current_folder() {
    let settings = parse("landfall render").unwrap();
    let Command::Render {
        inputs,
        destination: Destination::Stdout,
        ..
    } = settings.command
    else {
        panic!("{settings:?}")
    };
    assert_eq!(inputs.paths, [path(".")]);
    assert_eq!(settings.limits, Limits::default());
}

#[test]
fn common_flags_are_accepted_before_and_after_the_subcommand() {
    for arguments in ["landfall -q check a", "landfall check -q a"] {
        assert_eq!(
            parse(arguments).unwrap().report.verbosity,
            Verbosity::Quiet,
            "{arguments}"
        );
    }
    let limits = parse("landfall cmp generate --max-input 1MiB --max-time 5s")
        .unwrap()
        .limits;
    assert_eq!((limits.input, limits.time.as_secs()), (1 << 20, 5));
}

#[test]
fn a_program_named_landfall_krm_runs_the_krm_subcommand() {
    for arguments in [
        "landfall krm",
        "landfall-krm",
        "/opt/bin/landfall-krm",
        "landfall-krm.exe",
    ] {
        assert!(
            matches!(parse(arguments).unwrap().command, Command::Krm(_)),
            "{arguments}"
        );
    }
}

#[test]
fn standard_input_can_be_read_only_once() {
    let settings = parse("landfall render - -b tf.json").unwrap();
    let Command::Render { inputs, .. } = settings.command else {
        panic!("{settings:?}")
    };
    assert_eq!(inputs.paths, [InputPath::Stdin]);
    usage_error("landfall render - -", "more than once");
    usage_error("landfall render - -b infra=-", "more than once");
    usage_error("landfall render - -c -", "more than once");
    usage_error("landfall krm -b infra=-", "it is the ResourceList");
    usage_error("landfall cmp generate -b infra=-", "no standard input");
}

#[test]
fn flags_choose_the_destination_of_a_render() {
    let destination = |arguments| match parse(arguments).unwrap().command {
        Command::Render { destination, .. } => destination,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        destination("landfall render a --output-dir out"),
        Destination::Folder(PathBuf::from("out"))
    );
    for (arguments, replace_references) in [
        ("landfall render a --in-place", false),
        ("landfall render a --in-place --replace-references", true),
        ("landfall render --in-place -b infra=- a", false),
    ] {
        assert_eq!(
            destination(arguments),
            Destination::InPlace { replace_references },
            "{arguments}"
        );
    }
    usage_error(
        "landfall render a --in-place --output-dir out",
        "cannot be used",
    );
    usage_error("landfall render - --in-place", "name the file");
    usage_error(
        "landfall render a - --in-place --stdin-filename b",
        "name the file",
    );
    usage_error("landfall render a --replace-references", "--in-place");
    usage_error(
        "landfall render a --replace-references --output-dir out",
        "--in-place",
    );
    usage_error("landfall check a --in-place", "--in-place");
    usage_error("landfall render a --check", "--check requires --in-place");
}

#[test]
fn diff_has_the_same_names_on_both_sides() {
    let names = |bound: &[crate::settings::BoundFile]| -> Vec<String> {
        bound.iter().map(|bound| bound.name.clone()).collect()
    };
    let settings = parse("landfall diff a -b dns=d.json --from o.json --to n.json").unwrap();
    let Command::Diff { inputs, to, .. } = settings.command else {
        panic!("{settings:?}")
    };
    assert_eq!(names(&inputs.bound), ["dns", "infra"]);
    assert_eq!(names(&to), ["infra"]);
    for (flags, part) in [
        ("--from o.json", "--to"),
        ("--to n.json", "--from"),
        (
            "--from o.json --to infr=n.json",
            "--from binds `infra`, but --to does not",
        ),
        (
            "--from o.json --to n.json --to net=n.json",
            "--to binds `net`, but --from does not",
        ),
        ("-b x.json --from o.json --to n.json", "remove `-b`"),
        (
            "--from a.json --from b.json --to c.json",
            "--from NAME=FILE",
        ),
        ("--from - --to -", "more than once"),
        ("--from o.json --to - -", "more than once"),
        ("--plan - -", "more than once"),
        ("--plan a.json --plan infra=b.json", "twice"),
        ("--plan p.json --from o.json --to n.json", "remove `--from`"),
        ("-b x.json --plan p.json", "remove `-b`"),
        ("--plan p.json --from net=o.json", "--to"),
        ("--from o.json --to n.json -o yaml", "markdown"),
    ] {
        usage_error(&format!("landfall diff {flags}"), part);
    }
}

#[test]
fn rejects_invalid_command_lines() {
    usage_error("landfall rendr", "render");
    usage_error("landfall render --ouput-dir x", "--output-dir");
    usage_error("landfall render -b a.json -b b.json", "NAME=FILE");
    usage_error("landfall render --max-input lots", "256MiB");
    usage_error("landfall render -q -v", "cannot be used");
    usage_error("landfall render - --output-dir out", "--stdin-filename");
    usage_error("landfall cmp", "subcommand");
}

#[test]
fn flags_of_an_export_become_its_options() {
    let settings = parse(
        "landfall export flux -b a.json --name b --service c_=d --service e=f --dashes-to-underscores",
    );
    let Command::Export(export) = settings.unwrap().command else {
        panic!("it is another command")
    };
    let option = |name: &str, value| Parameter {
        name: name.to_owned(),
        value,
    };
    let entry = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(export.target, "flux");
    assert_eq!(
        export.options,
        [
            option("name", ParameterValue::Text("b".to_owned())),
            option(
                "service",
                ParameterValue::Entries(vec![entry("c_", "d"), entry("e", "f")])
            ),
            option(
                "dashes-to-underscores",
                ParameterValue::Text("true".to_owned())
            ),
        ]
    );
    usage_error("landfall export", "subcommand");
    usage_error("landfall export flux -b a.json --service =a", "two names");
    usage_error("landfall export argocd-cluster -b a.json", "--name");
    usage_error("landfall export external-secret -b a.json", "--store");
}

#[test]
fn names_in_the_configuration_of_argo_cd_are_validated() {
    let settings = parse(
        "landfall argocd install --as kustomize --image r.example.com/landfall:1 --mounted-outputs secret/a --mounted-outputs team-a=configmap/b --operator-policy p --digest-key k",
    );
    let Command::ArgocdInstall(install) = settings.unwrap().command else {
        panic!("it is another command")
    };
    assert_eq!(install.image, "r.example.com/landfall:1");
    assert_eq!(install.operator_policy.as_deref(), Some("p"));
    assert_eq!(install.digest_key.as_deref(), Some("k"));
    let projects: Vec<_> = install
        .mounted_outputs
        .iter()
        .map(|outputs| outputs.project.as_deref())
        .collect();
    assert_eq!(projects, [None, Some("team-a")]);
    for (flags, part) in [
        ("", "--as"),
        ("--as helm", "helm-values"),
        ("--as patch --image landfall", "needs a tag"),
        ("--as patch --image landfall:latest", "needs a tag"),
        (
            "--as patch --operator-policy a/b",
            "not the name of a ConfigMap",
        ),
        (
            "--as patch --digest-key secret/a",
            "not the name of a Secret",
        ),
        ("--as patch --mounted-outputs a", "secret/NAME"),
        ("--as patch --mounted-outputs pod/a", "secret/NAME"),
        (
            "--as patch --mounted-outputs secret/..",
            "not the name of a Secret",
        ),
        (
            "--as patch --mounted-outputs ../x=secret/a",
            "not the name of an Argo CD project",
        ),
        (
            "--as patch --mounted-outputs _shared=secret/a",
            "not the name of an Argo CD project",
        ),
        (
            "--as patch --mounted-outputs secret/a --mounted-outputs secret/b",
            "twice for all projects",
        ),
        (
            "--as patch --mounted-outputs a=secret/a --mounted-outputs a=secret/b",
            "twice for the project `a`",
        ),
    ] {
        usage_error(&format!("landfall argocd install {flags}"), part);
    }
    usage_error("landfall argocd", "subcommand");
}

#[test]
fn policy_flags_become_a_document() {
    let policies = |arguments: &str| match parse(arguments).unwrap().command {
        Command::Render { inputs, .. }
        | Command::Check { inputs, .. }
        | Command::Explain { inputs, .. }
        | Command::Diff { inputs, .. } => inputs.policies,
        Command::Krm(krm) => krm.policies,
        Command::CmpGenerate(cmp) | Command::CmpDiscover(cmp) => cmp.policies,
        other => panic!("{other:?} has no policies"),
    };
    let document = |arguments: &str| policies(arguments).document.unwrap_or_default();
    assert_eq!(policies("landfall render"), Policies::default());
    assert_eq!(
        document(
            "landfall check --missing keep --empty allow --unpublished keep --unused error --overridden warn --no-resources allow --sensitive-kinds Secret,Vault"
        ),
        "missing: keep\nempty: allow\nunpublished: keep\nunused: error\noverridden: warn\nnoResources: allow\nsensitive: {kinds: [\"Secret\",\"Vault\"]}\n"
    );
    assert_eq!(document("landfall krm --unused ignore"), "unused: ignore\n");
    assert_eq!(
        document("landfall check --dialect flux --missing empty"),
        "missing: empty\ndialect: flux\n"
    );
    assert_eq!(
        document("landfall cmp generate --sensitive-kinds="),
        "sensitive: {kinds: []}\n"
    );
    // `explain` lists unused outputs itself.
    assert_eq!(document("landfall explain --unused"), "unused: ignore\n");
    let unpublished = |arguments: &str| policies(arguments).keeps_unpublished;
    assert_eq!(
        unpublished("landfall render --unpublished keep"),
        Some(true)
    );
    assert_eq!(
        unpublished("landfall render --unpublished error"),
        Some(false)
    );
    assert_eq!(unpublished("landfall render --missing keep"), None);
    usage_error("landfall render --missing kep", "keep");
}

#[test]
fn help_exits_successfully() {
    for arguments in [
        "landfall --help",
        "landfall render --help",
        "landfall cmp generate -h",
        "landfall --version",
    ] {
        assert_eq!(
            parse(arguments).expect_err("text").exit_code(),
            0,
            "{arguments}"
        );
    }
}

#[test]
fn every_subcommand_of_cmp_has_the_ceiling_of_argo_cd() {
    let command = super::definition::command();
    let mut cmp = command.find_subcommand("cmp").unwrap().clone();
    cmp.build();
    let calls: Vec<_> = cmp
        .get_subcommands()
        .map(|call| call.get_name().to_owned())
        .filter(|name| name != "help")
        .collect();
    assert!(calls.contains(&"generate".to_owned()), "{calls:?}");
    let ceiling = |arguments: &str| parse(arguments).unwrap().command.built_in_ceiling();
    for call in calls {
        let arguments = format!("landfall cmp {call}");
        assert_eq!(ceiling(&arguments), BuiltInCeiling::ArgoCd, "{arguments}");
    }
    let getter = "landfall helm values landfall://values.yaml";
    assert_eq!(ceiling(getter), BuiltInCeiling::ArgoCd);
    for arguments in [
        "landfall render",
        "landfall check",
        "landfall explain",
        "landfall diff --from a --to b",
        "landfall krm",
    ] {
        assert_eq!(ceiling(arguments), BuiltInCeiling::None, "{arguments}");
    }
}

#[test]
fn only_the_called_subcommand_is_built() {
    let called = |line: &str| {
        let arguments: Vec<_> = line.split(' ').map(Into::into).collect();
        let mut command = super::definition::called_command(&arguments)?;
        command.build();
        Some(descendants(&command))
    };
    assert_eq!(called("landfall render a"), Some(vec!["render".to_owned()]));
    assert_eq!(
        called("landfall cmp generate"),
        Some(vec!["cmp".to_owned(), "generate".to_owned()])
    );
    for line in [
        "landfall",
        "landfall -q render",
        "landfall help render",
        "landfall rendr",
    ] {
        assert_eq!(called(line), None, "{line}");
    }
}

fn descendants(command: &clap::Command) -> Vec<String> {
    let below = command.get_subcommands().flat_map(|command| {
        let mut names = vec![command.get_name().to_owned()];
        names.extend(descendants(command));
        names
    });
    below.collect()
}

#[test]
fn errors_are_those_of_the_complete_command() {
    usage_error("landfall render --set a=b", "`-b FILE`");
    usage_error("landfall cmp generate --strct", "'--strict'");
    usage_error("landfall cmp generat", "'generate'");
}
