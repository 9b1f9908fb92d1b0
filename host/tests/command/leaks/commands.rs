//! All ways to run the program on an outputs document, and what it may show.

use std::fs;
use std::process::Stdio;

use super::traces::outside_secrets;
use crate::run::{Run, TestFolder, finish};

/// Where a command may write sensitive values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shows {
    Nothing,
    /// Only the keys in sensitive objects, because a reference to a value names them.
    Keys,
    /// Only in the data of the Secrets on standard output.
    Secrets,
}

/// The exit code of a command that is not the same for all documents.
const VARIES: i32 = -1;

/// Commands, with the exit code for a document that can be read. `{a,b}` is each
/// of the parts, `@` for the name of a sensitive output, and `< FILE` is standard input.
#[rustfmt::skip]
const ROWS: &[(Shows, i32, &str)] = &[
    // In Secrets, values are written, and otherwise not shown.
    (Shows::Secrets, 0, "render secrets.yaml"),
    (Shows::Secrets, 0, "render secrets.yaml --color always"),
    (Shows::Secrets, 0, "render setters.yaml"),
    (Shows::Secrets, 0, "render fields"),
    (Shows::Secrets, 0, "krm < list.yaml"),
    (Shows::Nothing, 0, "check {secrets,setters}.yaml -o {text,json,sarif,github,junit}"),
    (Shows::Nothing, 0, "check fields -o {text,json,sarif,github,junit}"),
    (Shows::Nothing, 0, "explain {secrets,setters}.yaml -o {text,json}"),
    (Shows::Nothing, 0, "explain fields -o {text,json}"),
    (Shows::Nothing, VARIES, "explain secrets.yaml --unused -o {text,json}"),
    (Shows::Nothing, 0, "render secrets.yaml --output-dir rendered"),
    (Shows::Nothing, 1, "render setters.yaml --in-place --check"),
    (Shows::Nothing, 1, "render {secrets,setters}.yaml --in-place --replace-references --check"),

    // In a ConfigMap, in keys, names and kinds, they are refused.
    (Shows::Nothing, 1, "render {config-map,refused-setters,keys}.yaml"),
    (Shows::Nothing, 1, "render refused-fields --color always"),
    (Shows::Nothing, 1, "render secrets.yaml --sensitive-kinds="),
    (Shows::Nothing, 1, "krm < refused-list.yaml"),
    (Shows::Nothing, 1, "check {config-map,refused-setters,keys}.yaml -o {text,json,sarif,github,junit}"),
    (Shows::Nothing, 1, "check refused-fields -o {text,json,sarif,github,junit}"),
    (Shows::Nothing, 1, "explain {config-map,refused-setters,keys}.yaml -o {text,json}"),
    (Shows::Nothing, 1, "render refused-setters.yaml --in-place"),

    // Functions that fail, wrong types, unknown outputs, keys and functions.
    (Shows::Nothing, 1, "render {mistakes,unknown,mixed}.yaml"),
    (Shows::Nothing, 1, "check {mistakes,unknown,mixed}.yaml -o {text,json,sarif,github,junit}"),
    (Shows::Nothing, 1, "check mistakes.yaml --color always"),
    (Shows::Nothing, 1, "explain {mistakes,unknown,mixed}.yaml -o {text,json}"),
    (Shows::Nothing, VARIES, "check {mixed,setters}.yaml --no-references -o {text,json,sarif,github,junit}"),
    (Shows::Nothing, VARIES, "check {secrets,config-map,mixed,setters}.yaml --outputs-from-terraform terraform -o {text,json}"),

    // The document, with and without its format, for a cluster of a fleet.
    (Shows::Nothing, VARIES, "check {secrets,config-map,mistakes,mixed}.yaml --each other=infra.* -o {text,json,github}"),
    (Shows::Nothing, VARIES, "render {secrets,unknown}.yaml --each infra=infra.* --output-dir rendered/{name}"),

    // Argo CD stores manifests in plain text, unless the operator allows it.
    (Shows::Nothing, 0, "cmp {init,discover,parameters}"),
    (Shows::Nothing, 1, "cmp generate"),
    (Shows::Nothing, 1, "cmp generate --allow-sensitive"),
    (Shows::Secrets, 0, "cmp generate --allow-secret-files --operator-policy ../operator.yaml"),
    (Shows::Secrets, 0, "cmp generate --allow-secret-files --allow-sensitive"),

    (Shows::Nothing, 1, "helm values landfall://application/secrets.yaml"),

    // There is a file in the way.
    (Shows::Nothing, 1, "install secrets.yaml"),
    (Shows::Nothing, 0, "argocd install --as {kustomize,helm-values,patch}"),
    (Shows::Nothing, VARIES, "argocd doctor application -o {text,json}"),
    (Shows::Nothing, 1, "argocd doctor"),

    // A change of the values.
    (Shows::Nothing, 1, "diff secrets.yaml --from old.json --to new.json -o {text,json,markdown}"),
    (Shows::Nothing, VARIES, "diff secrets.yaml --from old.json --to infra.doc -o {text,json,markdown}"),
    (Shows::Nothing, 1, "diff fields --from old.json --to new.json -o {text,json,markdown}"),
    (Shows::Nothing, 0, "diff secrets.yaml --from new.json --to new.json"),
    (Shows::Nothing, 1, "diff setters.yaml --from old.json --to new.json -o {text,json,markdown}"),
    (Shows::Nothing, 2, "diff {config-map,mistakes,unknown,mixed,keys,refused-setters}.yaml --from old.json --to new.json -o {text,json,markdown}"),
    (Shows::Nothing, 1, "diff secrets.yaml --plan plan.json -o {text,json,markdown}"),
    (Shows::Nothing, 1, "diff setters.yaml --plan plan.json -o {text,json,markdown}"),
    (Shows::Nothing, 1, "diff fields --plan plan.json -o {text,json,markdown}"),
    (Shows::Nothing, 2, "diff {config-map,mistakes,unknown,mixed,keys,refused-setters}.yaml --plan plan.json -o {text,json,markdown}"),
    (Shows::Nothing, 2, "diff secrets.yaml --plan new.json"),

    // Values that were written by hand.
    (Shows::Keys, 0, "adopt hard-coded.yaml -o {text,json}"),
    (Shows::Keys, 0, "adopt hard-coded.yaml --color always"),
    (Shows::Keys, VARIES, "adopt {secrets,setters,mixed}.yaml -o {text,json}"),

    // Manifests of other dialects, and an outputs document as the Secret of a cluster.
    (Shows::Keys, VARIES, "migrate {secrets,config-map,mixed,setters}.yaml --from {flux,kpt-set}"),
    (Shows::Nothing, VARIES, "expand secrets.yaml --clusters infra.doc"),

    // Contracts, kept and violated.
    (Shows::Nothing, 0, "outputs check -o {text,json,sarif,github,junit}"),
    (Shows::Nothing, 0, "outputs check --contract contract.yaml -o {text,json,sarif,github,junit}"),
    (Shows::Nothing, 1, "outputs check --contract contract-{type,text,enum,number,object}.yaml -o {text,json,sarif,github,junit}"),
    (Shows::Nothing, 1, "check secrets.yaml -c binding-{type,text,enum,number,object}.yaml --sensitive-contract refuse"),
    (Shows::Nothing, 1, "check secrets.yaml -c binding-{type,text,enum,number,object}.yaml -o {text,json,sarif,github,junit}"),
    (Shows::Nothing, 0, "outputs contract"),
    (Shows::Nothing, 0, "outputs contract --from-terraform terraform"),
    (Shows::Nothing, 0, "sample --contract contract.yaml"),
    (Shows::Nothing, VARIES, "sample --contract contract-{type,text,enum,number,object}.yaml"),

    // Digests of outputs.
    (Shows::Nothing, VARIES, "stamp -b infra=infra.doc"),
    (Shows::Nothing, VARIES, "stamp -b infra=infra.doc --mounted-outputs-public"),
    (Shows::Nothing, 0, "stamp -b infra=infra.doc --digest-key contract.yaml"),

    // Exports leave sensitive outputs out, or write them to Secrets.
    (Shows::Secrets, VARIES, "export flux --json --dashes-to-underscores"),
    (Shows::Secrets, VARIES, "export flux"),
    (Shows::Secrets, VARIES, "export flux --json --dashes-to-underscores --service pass=service"),
    (Shows::Secrets, 0, "export flux --values-key values.yaml"),
    (Shows::Secrets, VARIES, "export argocd-cluster --name prod --server https://a --json --config-output @"),
    (Shows::Nothing, VARIES, "export argocd-cluster --name prod --server https://a --json --label @"),
    (Shows::Nothing, 1, "export argocd-cluster --name prod --json --server-output @"),
    (Shows::Nothing, VARIES, "export argocd-cluster --name prod --server https://a --json"),
    (Shows::Nothing, VARIES, "export helm-values"),
    (Shows::Nothing, VARIES, "export helm-values --key global.infra --dashes-to-underscores"),
    (Shows::Nothing, VARIES, "export dotenv --json --dashes-to-underscores"),
    (Shows::Nothing, VARIES, "export dotenv"),
    (Shows::Nothing, VARIES, "export external-secret --store a --remote-key prod/{name}"),
    (Shows::Nothing, VARIES, "export external-secret --store a --secret key=@"),
    (Shows::Nothing, VARIES, "export public"),

    // Last, because it writes the file.
    (Shows::Nothing, 0, "render setters.yaml --in-place"),
    (Shows::Keys, VARIES, "adopt hard-coded.yaml --write"),
];

/// Parts of the commands that take no Binding, or find one. All others get `-c binding.yaml`.
const OWN_BINDING: &[&str] = &[
    "krm",
    "helm ",
    "cmp ",
    "argocd ",
    "install ",
    "sample ",
    "expand ",
    "stamp ",
    "fields",
    "--from-terraform",
];

/// One command line.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) shows: Shows,
    pub(crate) code: Option<i32>,
    pub(crate) line: String,
}

/// Returns all rows, with each choice of `{a,b}`.
pub(crate) fn all_rows() -> Vec<Row> {
    let all = ROWS
        .iter()
        .flat_map(|row| expand(row.2).into_iter().map(|line| Row::new(row, line)));
    all.collect()
}

/// Returns all rows, with one choice of `{a,b}`: another one for each `number`.
pub(crate) fn some_rows(number: usize) -> Vec<Row> {
    let one = |row: &(Shows, i32, &str)| {
        let mut lines = expand(row.2);
        let at = number % lines.len();
        Row::new(row, lines.swap_remove(at))
    };
    ROWS.iter().map(one).collect()
}

/// Returns one row of each command.
pub(crate) fn one_row_each(number: usize) -> Vec<Row> {
    let mut rows = some_rows(number);
    let command = |row: &Row| -> Vec<String> {
        let words = row
            .line
            .split(' ')
            .take_while(|word| !word.contains(['.', '-', '<']));
        words.map(str::to_owned).collect()
    };
    rows.sort_by_key(command);
    rows.dedup_by_key(|row| command(row));
    rows
}

/// Returns a line for each choice of `{a,b}`.
pub(crate) fn expand(line: &str) -> Vec<String> {
    let choices = line.split_once('{').and_then(|(before, rest)| {
        let (choices, after) = rest.split_once('}')?;
        choices.contains(',').then_some((before, choices, after))
    });
    let Some((before, choices, after)) = choices else {
        return vec![line.to_owned()];
    };
    let expanded = choices
        .split(',')
        .flat_map(|choice| expand(&format!("{before}{choice}{after}")));
    expanded.collect()
}

impl Row {
    fn new((shows, code, _): &(Shows, i32, &str), line: String) -> Self {
        Self {
            shows: *shows,
            code: (*code != VARIES).then_some(*code),
            line,
        }
    }

    /// Runs the command, with the name of a sensitive output.
    pub(crate) fn run(&self, folder: &TestFolder, sensitive: &str) -> Run {
        let (command, stdin) = self.line.split_once(" < ").unwrap_or((&self.line, ""));
        let mut line = command.replace('@', sensitive);
        if !line.contains(" -c ") && !OWN_BINDING.iter().any(|part| line.contains(part)) {
            line.push_str(" -c binding.yaml");
        }
        if !stdin.is_empty() {
            line.push_str(" < ");
            line.push_str(stdin);
        }
        run_line(folder, &line, "application")
    }

    /// Returns everything that the command wrote, except where values are allowed.
    pub(crate) fn shown(&self, run: &Run) -> String {
        let stdout = String::from_utf8_lossy(&run.stdout);
        let stdout = match self.shows {
            Shows::Secrets => outside_secrets(&stdout),
            Shows::Nothing | Shows::Keys => stdout.into_owned(),
        };
        stdout + "\n" + &run.stderr
    }
}

/// Runs a command line, in which `< FILE` is standard input. `application` is the folder in
/// which Argo CD calls the program.
pub(crate) fn run_line(folder: &TestFolder, line: &str, application: &str) -> Run {
    let (line, stdin) = line.split_once(" < ").unwrap_or((line, ""));
    let mut arguments: Vec<_> = line.split(' ').collect();
    // All errors, and a summary.
    arguments.push("--verbose");
    let mut command = folder.command(&arguments);
    if line.starts_with("cmp ") {
        command
            .current_dir(folder.at(application))
            .env("ARGOCD_APP_SOURCE_PATH", application);
    }
    let stdin = match stdin {
        "" => Vec::new(),
        path => fs::read(folder.at(path)).unwrap(),
    };
    finish(command.stdin(Stdio::piped()), &stdin)
}

/// Returns whether a command line is one of a command.
pub(crate) fn is_of(command: &str, line: &str) -> bool {
    let mut lines = expand(line).into_iter();
    lines.any(|line| (line + " ").starts_with(&format!("{command} ")))
}

/// Returns the items of a section of a help text.
fn section<'h>(help: &'h str, title: &str) -> Vec<&'h str> {
    let lines = help.lines().skip_while(|line| line.trim() != title).skip(1);
    let lines = lines.take_while(|line| !line.trim().is_empty());
    lines.map(str::trim).collect()
}

/// Returns all commands without subcommands, and the values of their option `--output`,
/// from the help of the program.
pub(crate) fn commands(folder: &TestFolder, path: &str) -> Vec<(String, Vec<String>)> {
    let arguments: Vec<_> = path.split_whitespace().chain(["--help"]).collect();
    let help = folder.run(&arguments).expect_stdout();
    let subcommands = section(&help, "Commands:");
    if subcommands.is_empty() {
        let output = help
            .split_once("--output <FORMAT>")
            .map_or("", |(_, after)| after);
        let output = output.split("\n  -").next().unwrap_or_default();
        let formats = section(output, "Possible values:");
        let formats = formats
            .iter()
            .filter_map(|line| line.strip_prefix("- ")?.split(':').next());
        return vec![(path.to_owned(), formats.map(str::to_owned).collect())];
    }
    let names = subcommands.iter().filter_map(|line| line.split(' ').next());
    let names = names.filter(|name| *name != "help");
    names
        .flat_map(|name| commands(folder, format!("{path} {name}").trim()))
        .collect()
}

/// A new command or format fails this test until it has a row.
#[test]
fn every_command_and_format_has_a_row() {
    let folder = TestFolder::new();
    let rows = all_rows();
    let commands = commands(&folder, "");
    assert!(commands.len() > 10, "{commands:?}");
    let mut formats_seen = 0;
    for (command, formats) in commands {
        let rows: Vec<_> = rows
            .iter()
            .filter(|row| is_of(&command, &row.line))
            .collect();
        assert!(!rows.is_empty(), "`landfall {command}` has no row");
        for format in formats {
            let flag = format!(" -o {format}");
            let has_row = rows.iter().any(|row| row.line.ends_with(&flag));
            assert!(has_row, "`landfall {command}{flag}` has no row");
            formats_seen += 1;
        }
    }
    assert!(formats_seen > 10, "{formats_seen} formats");
}
