//! The inputs for which time is compared with input size.

use super::inputs::{
    InputFiles, config_map, contract, field_bindings, large_object, lines, list, manifest,
    nested_aliases, object, output, parts, paths, plan, resource, resource_list, resources,
    targets, text, widget, wrong_references,
};

use super::prepared::Work;

/// One kind of input.
pub(super) struct Case {
    /// What the input has n of.
    pub(super) name: &'static str,
    pub(super) n: usize,
    pub(super) make: fn(usize) -> InputFiles,
    pub(super) command: &'static [&'static str],
    /// The expected exit code, and a text that the output contains.
    pub(super) exit: i32,
    pub(super) shows: &'static str,
}

impl Case {
    /// Returns what is measured for n things.
    pub(super) fn work(&self, n: usize) -> Work {
        Work {
            files: (self.make)(n),
            command: self.command,
            has_manifest: self.command != KRM,
            exit: self.exit,
            shows: self.shows,
        }
    }
}

const RENDER: &[&str] = &["render"];
const FLUX: &[&str] = &["render", "--dialect", "flux"];
const KPT_SET: &[&str] = &["render", "--dialect", "kpt-set"];
const CHECK: &[&str] = &["check"];
const SARIF: &[&str] = &["check", "-o", "sarif"];
const EXPLAIN: &[&str] = &["explain", "-o", "json"];
const KRM: &[&str] = &["krm"];
const SAMPLE: &[&str] = &["sample", "--contract"];

const fn case(
    name: &'static str,
    n: usize,
    make: fn(usize) -> InputFiles,
    command: &'static [&'static str],
    (exit, shows): (i32, &'static str),
) -> Case {
    Case {
        name,
        n,
        make,
        command,
        exit,
        shows,
    }
}

/// All cases, in the order of the table. Sizes are chosen so that a run takes a tenth of
/// a second, compared with which starting the command is negligible.
pub(super) const CASES: &[Case] = &[
    case(
        "anchors, each with an alias",
        40_000,
        |n| {
            config_map(
                &lines(n, |i| format!("a{i}: &a{i} ${{infra.text}}\n  b{i}: *a{i}")),
                text(),
            )
        },
        RENDER,
        (0, "a0: &a0 vpc-0ab1"),
    ),
    case(
        "aliases inside aliases, 8 deep",
        40_000,
        nested_aliases,
        RENDER,
        (0, "{x: *k0}"),
    ),
    case(
        "mappings merged into others",
        20_000,
        |n| {
            widget(
                &lines(n, |i| {
                    format!("a{i}: &a{i} {{x: ${{infra.text}}}}\n  b{i}: {{<<: *a{i}, y: 1}}")
                }),
                text(),
            )
        },
        RENDER,
        (0, "{x: vpc-0ab1}"),
    ),
    case(
        "values under one long key",
        8_000,
        |n| {
            widget(
                &format!(
                    "  ? {}\n  :\n{}",
                    "k".repeat(80 * n),
                    lines(n, |i| format!("  a{i}: ${{infra.text}}"))
                ),
                text(),
            )
        },
        RENDER,
        (0, "a0: vpc-0ab1"),
    ),
    case(
        "wrong references",
        40_000,
        wrong_references,
        CHECK,
        (1, "unknown-output"),
    ),
    case(
        "wrong references, as SARIF",
        40_000,
        wrong_references,
        SARIF,
        (1, "unknown-output"),
    ),
    case(
        "unknown outputs among as many outputs",
        8_000,
        |n| {
            let outputs = (0..n).map(|nth| (format!("output{nth}"), output("1")));
            let wrong = lines(n, |nth| format!("a{nth}: ${{infra.none{nth}}}"));
            config_map(&wrong, object(outputs))
        },
        CHECK,
        (1, "unknown-output"),
    ),
    case(
        "values that as many outputs have",
        8_000,
        |n| {
            let outputs = (0..n).map(|nth| (format!("output{nth}"), output("\"vpc-0ab1\"")));
            config_map(
                &lines(n, |nth| format!("a{nth}: vpc-0ab1")),
                object(outputs),
            )
        },
        &["adopt"],
        (0, "output0"),
    ),
    case(
        "wrong references on one line",
        80_000,
        |n| config_map(&format!("  a: {}\n", "${infra.none} ".repeat(n)), text()),
        CHECK,
        (1, "unknown-output"),
    ),
    case(
        "references that nothing answers",
        40_000,
        |n| config_map(&lines(n, |i| format!("a{i}: ${{other.name{i}}}")), text()),
        CHECK,
        (0, "unbound-reference"),
    ),
    case(
        "wrong names of 190 letters",
        20_000,
        |n| {
            config_map(
                &lines(n, |i| format!("a{i}: ${{infra.{}{i}}}", "a".repeat(185))),
                object((0..50).map(|i| (format!("{}{i}", "a".repeat(188)), output("\"x\"")))),
            )
        },
        CHECK,
        (1, "did you mean"),
    ),
    case(
        "missing keys of an object with as many",
        20_000,
        |n| {
            config_map(
                &lines(n, |i| format!("a{i}: ${{infra.object.none{i}}}")),
                large_object(n),
            )
        },
        CHECK,
        (1, "unknown-key"),
    ),
    case(
        "keys of an object with as many",
        20_000,
        |n| {
            config_map(
                &lines(n, |i| format!("a{i}: ${{infra.object.key{i}}}")),
                large_object(n),
            )
        },
        RENDER,
        (0, "a0: x"),
    ),
    case(
        "lists concatenated in one reference",
        40_000,
        |n| {
            config_map(
                &format!(
                    "  a: ${{infra.list{} | length}}\n",
                    " | concat(infra.list)".repeat(n)
                ),
                list(),
            )
        },
        RENDER,
        (0, "a: \""),
    ),
    case(
        "substitutions, explained",
        20_000,
        |n| config_map(&lines(n, |i| format!("a{i}: ${{infra.text}}")), text()),
        EXPLAIN,
        (0, "infra.text"),
    ),
    case(
        "field bindings, each with its resource",
        8_000,
        |n| field_bindings(n, |i| format!("{{kind: ConfigMap, name: web-{i}}}")),
        RENDER,
        (0, "vpc: vpc-0ab1"),
    ),
    case(
        "field bindings with label selectors, each with its resource",
        8_000,
        |n| {
            field_bindings(n, |i| {
                format!("{{kind: ConfigMap, name: web-{i}, labelSelector: app=web-{i}}}")
            })
        },
        RENDER,
        (0, "vpc: vpc-0ab1"),
    ),
    case(
        "missing field paths of 20 resources",
        8_000,
        |n| targets(&resources(20), &paths(n), ""),
        CHECK,
        (1, "target-not-found"),
    ),
    case(
        "resources with 20 missing field paths",
        8_000,
        |n| targets(&resources(n), &paths(20), ""),
        CHECK,
        (1, "target-not-found"),
    ),
    case(
        "fields created in one resource",
        10_000,
        |n| targets(&resources(1), &paths(n), "create: true"),
        RENDER,
        (0, "none0: vpc-0ab1"),
    ),
    case(
        "field bindings to parts of one text",
        8_000,
        parts,
        RENDER,
        (0, "list: vpc-0ab1,vpc-0ab1"),
    ),
    case(
        "entries of the contract",
        10_000,
        |n| contract(n, "x"),
        RENDER,
        (0, "a0: x"),
    ),
    case(
        "entries of the contract, all violated",
        10_000,
        |n| contract(n, "1"),
        CHECK,
        (1, "contract-violation"),
    ),
    case(
        "setter comments",
        30_000,
        |n| {
            config_map(
                &lines(n, |i| format!("a{i}: old # landfall: ${{infra.text}}")),
                text(),
            )
        },
        RENDER,
        (0, "a0: vpc-0ab1 # landfall"),
    ),
    case(
        "lines of one embedded document",
        30_000,
        |n| {
            config_map(
                &format!(
                    "  app.yaml: |\n{}",
                    lines(n, |i| format!("  a{i}: ${{infra.text}}"))
                ),
                text(),
            )
        },
        RENDER,
        (0, "a0: vpc-0ab1"),
    ),
    case(
        "items of a ResourceList that get lists",
        8_000,
        resource_list,
        KRM,
        (0, "- a\n"),
    ),
    case(
        "documents",
        20_000,
        |n| InputFiles {
            manifest: (0..n)
                .map(|i| resource(i, "  a: ${infra.text}\n"))
                .collect(),
            ..config_map("", text())
        },
        RENDER,
        (0, "a: vpc-0ab1"),
    ),
    case(
        "references in flow collections",
        40_000,
        |n| {
            widget(
                &format!("  a: [{}]\n", "{x: \"${infra.text}\"}, ".repeat(n)),
                text(),
            )
        },
        RENDER,
        (0, "{x: \"vpc-0ab1\"}"),
    ),
    case(
        "lines of one plain scalar, and of one in quotes",
        80_000,
        |n| {
            let words = "    words ${infra.text}\n".repeat(n);
            config_map(&format!("  a:\n{words}  b: \"\n{words}    \"\n"), text())
        },
        RENDER,
        (0, "    words vpc-0ab1\n"),
    ),
    case(
        "escapes in one scalar",
        200_000,
        |n| {
            let escapes = "\\t\\x41".repeat(n);
            config_map(&format!("  a: \"{escapes}${{infra.text}}\"\n"), text())
        },
        RENDER,
        (0, "\\x41vpc-0ab1\""),
    ),
    case(
        "comments between entries",
        80_000,
        |n| {
            config_map(
                &lines(n, |i| format!("# {i}\n\n  a{i}: ${{infra.text}}")),
                text(),
            )
        },
        RENDER,
        (0, "a0: vpc-0ab1"),
    ),
    case(
        "references and escapes of Flux in one line of a block scalar",
        40_000,
        |n| {
            config_map(
                &format!("  a: |\n    {}\n", "${text}$${b}".repeat(n)),
                text(),
            )
        },
        FLUX,
        (0, "vpc-0ab1${b}"),
    ),
    case(
        "references in the fallback of one of Flux",
        40_000,
        |n| {
            config_map(
                &format!("  a: \"${{none:-{}}}\"\n", "${text} ".repeat(n)),
                text(),
            )
        },
        FLUX,
        (0, "vpc-0ab1 vpc-0ab1"),
    ),
    case(
        "setter comments of kpt",
        30_000,
        |n| {
            config_map(
                &lines(n, |i| format!("a{i}: old # kpt-set: ${{text}}")),
                text(),
            )
        },
        KPT_SET,
        (0, "a0: vpc-0ab1 # kpt-set"),
    ),
    case(
        "outputs of a plan, all on one line",
        10_000,
        plan,
        &["diff", "--plan", "infra.json"],
        (1, "\"new-0\""),
    ),
    case(
        "text that repeats a long secret",
        100_000,
        |n| {
            let secret = format!("\"{}\"", "ab-".repeat(n / 10));
            let secret = format!("{{\"sensitive\": true, \"value\": {secret}}}");
            config_map(
                &format!("  a: {}\n", "ab-".repeat(n)),
                object([("secret".to_owned(), secret)]),
            )
        },
        &["adopt"],
        (0, "sensitive"),
    ),
    case(
        "items of a List",
        20_000,
        |n| {
            manifest(
                "apiVersion: v1\nkind: List\nitems:\n",
                &lines(n, |i| {
                    format!(
                        "- {{apiVersion: v1, kind: ConfigMap, metadata: {{name: a{i}}}, data: {{a: \"${{infra.text}}\"}}}}"
                    )
                }),
                text(),
            )
        },
        RENDER,
        (0, "data: {a: \"vpc-0ab1\"}"),
    ),
    case(
        "environment variables of a container",
        20_000,
        |n| {
            manifest(
                "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n  - name: web\n    env:\n",
                &lines(n, |i| {
                    format!("  - {{name: A{i}, value: \"${{infra.text}}\"}}")
                }),
                text(),
            )
        },
        RENDER,
        (0, "value: \"vpc-0ab1\""),
    ),
    case(
        "lines of an annotation that is YAML",
        20_000,
        |n| {
            manifest(
                "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n  annotations:\n    a: |\n",
                &lines(n, |i| format!("    k{i}: ${{infra.text}}")),
                text(),
            )
        },
        RENDER,
        (0, "k0: vpc-0ab1"),
    ),
    case(
        "lists that are spread",
        20_000,
        |n| {
            let items = lines(n, |_| "- ${infra.list | spread}".to_owned());
            widget(&format!("  a:\n{items}"), list())
        },
        RENDER,
        (0, "- b"),
    ),
    case(
        "items in one line that are left out",
        20_000,
        |n| {
            let items = "${infra.none | default(omit)}, ".repeat(n);
            widget(&format!("  a: [{items}1]\n"), text())
        },
        RENDER,
        (0, "a: [1]"),
    ),
    case(
        "near misses in a script of one line",
        20_000,
        |n| {
            let script = "${text} $infra.text; ".repeat(n);
            manifest(
                "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n  - name: web\n",
                &format!("    command: [sh, -c, \"{script}\"]\n    image: ${{infra.text}}\n"),
                text(),
            )
        },
        RENDER,
        (0, "image: vpc-0ab1"),
    ),
    case(
        "members of an enum of which nothing fits",
        40_000,
        |n| {
            let members = lines(n, |nth| format!("    - m{nth}"));
            let clause = format!("o:\n      pattern: '^x'\n      enum:\n{members}");
            InputFiles {
                manifest: format!(
                    "apiVersion: landfall.dev/v1alpha1\nkind: OutputsContract\nspec:\n  infra:\n    {clause}"
                ),
                // No outputs are bound.
                binding: Some(String::new()),
                outputs: String::new(),
            }
        },
        SAMPLE,
        (1, "cannot make a sample value"),
    ),
];
