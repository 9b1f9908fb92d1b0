//! What argocd-cmp-server itself does with a plugin's output: the facts that
//! landfall's output and errors are made for. The plugin here is a shell command.

use std::time::{Duration, Instant};

use landfall_host_tests::plugin_server::{Application, Match, PluginServer, Refusal};
use landfall_host_tests::scratch::Scratch;
use pretty_assertions::assert_eq;

/// A server whose plugin is this shell command, run in an application that has this text
/// as `app.yaml`.
struct Shell {
    server: PluginServer,
    application: Scratch,
}

impl Shell {
    fn new(generate: &str, text: &str) -> Self {
        let plugin = format!(
            "kind: ConfigManagementPlugin\n\
             metadata: {{name: shell}}\n\
             spec:\n  \
               version: v1\n  \
               discover: {{find: {{command: [sh, -c, \"test ! -e broken && ls app.yaml\"]}}}}\n  \
               generate: {{command: [sh, -c, {}]}}\n",
            serde_json::to_string(generate).unwrap()
        );
        let application = Scratch::new();
        application.write("app.yaml", text);
        let server = PluginServer::start(&plugin, application.path());
        Self {
            server,
            application,
        }
    }

    fn generate(&self) -> Result<Vec<String>, Refusal> {
        self.generate_within(Duration::from_secs(60))
    }

    fn generate_within(&self, deadline: Duration) -> Result<Vec<String>, Refusal> {
        let folder = self.application.path();
        let application = Application {
            root: folder,
            folder,
            source_path: ".",
        };
        self.server.generate_within(&application, deadline)
    }
}

/// Returns what the server returns for a text when the plugin prints it.
fn printed(text: &str) -> Result<Vec<String>, Refusal> {
    Shell::new("cat app.yaml", text).generate()
}

#[test(tools)]
fn a_version_becomes_a_part_of_the_plugin_s_name() {
    let shell = Shell::new("cat app.yaml", "");
    assert_eq!(shell.server.socket_name(), "shell-v1.sock");
}

#[test(tools)]
fn the_output_is_read_again_as_yaml_1_1() {
    let text = "apiVersion: v1\nkind: A\naccount: 012345678901\nmode: 012\noctal: 0o17\nbinary: 0b1\n\
                flag: yes\nversion: 1.10\nlarge: 1_000\ntime: 12:30:45\ny: key\n";
    let answer = printed(text);
    let expected = r#"{"account":12345678901,"apiVersion":"v1","binary":1,"flag":true,"kind":"A","large":1000,"mode":10,"octal":15,"time":"12:30:45","true":"key","version":1.1}"#;
    assert_eq!(answer, Ok(vec![expected.to_owned()]));
}

#[test(tools)]
fn a_document_after_a_bare_end_marker_is_lost() {
    let answer = printed("apiVersion: v1\nkind: A\n...\napiVersion: v1\nkind: B\n");
    assert_eq!(
        answer,
        Ok(vec![r#"{"apiVersion":"v1","kind":"A"}"#.to_owned()])
    );
}

#[test(tools)]
fn a_document_on_the_line_of_its_marker_is_refused() {
    let refusal = printed("--- {apiVersion: v1, kind: A}\n").unwrap_err();
    assert!(
        refusal
            .message
            .ends_with("invalid Yaml document separator: {apiVersion: v1, kind: A}"),
        "{refusal:?}"
    );
}

#[test(tools)]
fn a_yaml_directive_is_refused() {
    let refusal = printed("%YAML 1.2\n---\napiVersion: v1\nkind: A\n").unwrap_err();
    assert!(
        refusal
            .message
            .ends_with("yaml: found incompatible YAML document"),
        "{refusal:?}"
    );
}

#[test(tools)]
fn a_document_without_a_kind_is_refused_by_repo_server_only() {
    let refusal = printed("name: A\n").unwrap_err();
    assert_eq!(refusal.code, "Client");
    assert!(
        refusal
            .message
            .ends_with(r#"Object 'Kind' is missing in '{"name":"A"}'"#),
        "{refusal:?}"
    );
}

#[test(tools)]
fn a_list_is_refused_by_repo_server_only() {
    let answer = printed("- apiVersion: v1\n  kind: A\n");
    assert_eq!(answer.unwrap_err().code, "Client");
}

#[test(tools)]
fn a_duplicate_key_passes_and_the_last_one_wins() {
    let answer = printed("apiVersion: v1\nkind: A\nspec: {a: 1, a: 2}\n");
    let expected = r#"{"apiVersion":"v1","kind":"A","spec":{"a":2}}"#;
    assert_eq!(answer, Ok(vec![expected.to_owned()]));
}

#[test(tools)]
fn every_call_runs_in_a_folder_of_another_name() {
    let shell = Shell::new("pwd >&2; exit 1", "");
    let folder = || shell.generate().unwrap_err().message;
    let (first, second) = (folder(), folder());
    assert!(first.contains("/_cmp_server/"), "{first}");
    assert_ne!(first, second);
}

#[test(tools)]
fn empty_output_succeeds_without_manifests() {
    for text in ["", "# only a comment\n", "---\n---\nnull\n"] {
        let answer = printed(text);
        assert_eq!(answer, Ok(Vec::new()), "{text:?}");
    }
}

#[test(tools)]
fn stderr_of_a_failure_is_passed_to_the_user() {
    let shell = Shell::new(
        "cat app.yaml; echo 'error: ${x}\n  --> a.yaml:1:2' >&2; exit 1",
        "kind: A\n",
    );
    let refusal = shell.generate().unwrap_err();
    assert_eq!(refusal.code, "Unknown");
    assert!(
        refusal
            .message
            .ends_with("failed exit status 1: error: ${x}\n  --> a.yaml:1:2"),
        "{refusal:?}"
    );
}

#[test(tools)]
fn a_plugin_that_takes_too_long_is_killed_before_the_deadline() {
    let shell = Shell::new("echo begun >&2; exec sleep 600", "");
    let started = Instant::now();
    let refusal = shell.generate_within(Duration::from_secs(2)).unwrap_err();
    assert!(started.elapsed() < Duration::from_secs(60));
    // Two signals race. On a busy machine repo-server's own deadline may come before the
    // response does.
    let outcomes = [
        "failed signal: killed: begun",
        "failed signal: terminated: begun",
        "DeadlineExceeded",
    ];
    let message = &refusal.message;
    assert!(
        outcomes.iter().any(|outcome| message.contains(outcome)),
        "{message}"
    );
}

#[test(tools)]
fn a_background_process_that_holds_stdout_blocks_the_call_until_the_deadline() {
    let shell = Shell::new("cat app.yaml; sleep 600 &", "apiVersion: v1\nkind: A\n");
    let started = Instant::now();
    // The command itself has succeeded.
    let answer = shell.generate_within(Duration::from_secs(3));
    assert!(started.elapsed() > Duration::from_secs(2), "{answer:?}");
}

/// `fileName`, then `find.glob`, then `find.command`.
#[test(tools)]
fn only_the_first_way_of_discovery_counts() {
    let matches = |discover: &str| {
        let plugin = format!(
            "kind: ConfigManagementPlugin\n\
             metadata: {{name: shell}}\n\
             spec:\n  \
               discover: {discover}\n  \
               generate: {{command: [cat, app.yaml]}}\n"
        );
        let application = Scratch::new();
        application.write("app.yaml", "");
        let server = PluginServer::start(&plugin, application.path());
        let folder = application.path();
        let found = server.matches(&Application {
            root: folder,
            folder,
            source_path: ".",
        });
        found.unwrap().is_supported
    };
    let by_command = matches("{find: {command: [echo, found]}}");
    assert!(by_command);
    for unused in [
        "{fileName: none.yaml, find: {command: [echo, found]}}",
        "{find: {glob: \"**/none.yaml\", command: [echo, found]}}",
    ] {
        assert!(!matches(unused), "{unused}");
    }
}

#[test(tools)]
fn any_output_of_discover_claims_and_a_failure_is_an_error() {
    let shell = Shell::new("cat app.yaml", "");
    let folder = shell.application.path();
    let application = Application {
        root: folder,
        folder,
        source_path: ".",
    };
    let matches = || shell.server.matches(&application);
    assert_eq!(
        matches(),
        Ok(Match {
            is_supported: true,
            is_discovery_enabled: true
        })
    );
    shell.application.write("broken", "");
    let refusal = matches().unwrap_err();
    assert!(
        refusal.message.contains("error running find command"),
        "{refusal:?}"
    );
}
