use proptest::prelude::*;

use crate::config::Config;
use crate::config::binding as config;
use crate::contract::folder::*;
use crate::report::Diagnostics;

fn binding(spec: &str) -> Result<Binding, Diagnostics> {
    let content =
        format!("apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {spec}\n").into_bytes();
    let path = "landfall.yaml".into();
    let (binding, errors) = config::read_partly(&Config { path, content }, Origin::Binding);
    if errors.is_empty() {
        Ok(binding)
    } else {
        Err(errors)
    }
}

/// Returns the selected paths, or the errors; warnings begin with `warning: `.
fn selected(spec: &str, paths: &[&str]) -> Vec<String> {
    let words = |found: &Diagnostic| {
        format!(
            "{}; {}",
            found.message,
            found.help.as_deref().unwrap_or_default()
        )
    };
    let binding = match binding(spec) {
        Ok(binding) => binding,
        Err(errors) => return errors.iter().map(words).collect(),
    };
    let folder = Folder {
        shown: "app",
        paths,
    };
    let mut warnings = Vec::new();
    let mut reported: Vec<String> = match select(&binding, &folder, &mut warnings) {
        Ok(manifests) => manifests.iter().map(|at| paths[*at].to_owned()).collect(),
        Err(errors) => errors.iter().map(words).collect(),
    };
    reported.extend(
        warnings
            .iter()
            .map(|found| format!("warning: {}", words(found))),
    );
    reported
}

#[track_caller]
fn check(spec: &str, paths: &[&str], expected: &[&str]) {
    assert_eq!(selected(spec, paths), expected);
}

#[test]
fn documents_of_other_clusters_are_not_manifests() {
    let outputs = r#"{outputs: [{name: infra, from: {file: "clusters/{cluster}/infra.yaml"}}, {name: net, from: {mounted: a.yaml}}]}"#;
    check(
        outputs,
        &[
            "a.yaml",
            "clusters/prod/infra.yaml",
            "clusters/stage/infra.yaml",
            "clusters/stage/extra.yaml",
        ],
        &["a.yaml", "clusters/stage/extra.yaml"],
    );
}

#[test]
fn counts_unmatched_patterns_beyond_the_limit() {
    let warnings = |patterns: usize| {
        let list: Vec<_> = (0..patterns).map(|nth| format!("x{nth}")).collect();
        let reported = selected(
            &format!("{{manifests: {{exclude: [{}]}}}}", list.join(", ")),
            &["a.yaml"],
        );
        assert_eq!(reported[0], "a.yaml");
        reported[1..].to_vec()
    };
    let all = warnings(1000);
    assert_eq!(all.len(), 1000);
    assert!(all[999].starts_with("warning: `x999` excludes no file; "));
    let many = warnings(20_000);
    assert_eq!(many.len(), 1000);
    assert!(many[998].starts_with("warning: `x998` excludes no file; "));
    assert!(many[999].starts_with("warning: `x999` and 19000 more patterns match no file; "));
}

/// Checks the paths that one pattern includes.
#[track_caller]
fn check_pattern(pattern: &str, paths: &[&str], expected: &[&str]) {
    let spec = format!("{{tool: none, manifests: {{include: ['{pattern}']}}}}");
    check(&spec, paths, expected);
}

/// Checks that there is one message, which contains all the parts.
#[track_caller]
fn check_error(spec: &str, paths: &[&str], parts: &[&str]) {
    let reported = selected(spec, paths);
    assert_eq!(reported.len(), 1, "{reported:#?}");
    for part in parts {
        assert!(
            reported[0].contains(part),
            "`{part}` is not in {reported:#?}"
        );
    }
}

#[test]
fn selects_yaml_and_json_files_by_default() {
    let paths = [
        "a.yaml",
        "b.yml",
        "c.json",
        "d.md",
        "landfall.yaml",
        "sub/e.yaml",
        ".github/f.yaml",
        ".g.yaml",
        "kustomization.yaml",
        "sub/kustomization.yml",
        "Kptfile",
        "helmfile.yaml",
        "chart/Chart.yaml",
        "chart/h.yaml",
        "outputs/i.json",
    ];
    check(
        "{tool: none, outputs: [{name: i, from: {file: ./outputs/i.json}}]}",
        &paths,
        &["a.yaml", "b.yml", "c.json", "sub/e.yaml", "chart/h.yaml"],
    );
}

#[test]
fn a_pattern_matches_the_whole_path() {
    let paths = ["a.yaml", "b/a.yaml", "b/c/a.yaml", "b/c/d.json"];
    check_pattern("a.yaml", &paths, &["a.yaml"]);
    check_pattern("./b/a.yaml", &paths, &["b/a.yaml"]);
    check_pattern("*.yaml", &paths, &["a.yaml"]);
    check_pattern("*/*.yaml", &paths, &["b/a.yaml"]);
    check_pattern("**/*.yaml", &paths, &["a.yaml", "b/a.yaml", "b/c/a.yaml"]);
    check_pattern("b/**", &paths, &["b/a.yaml", "b/c/a.yaml", "b/c/d.json"]);
    check_pattern("b/**/*.yaml", &paths, &["b/a.yaml", "b/c/a.yaml"]);
    check_pattern("b/c/", &paths, &["b/c/a.yaml", "b/c/d.json"]);
    check_pattern("**/c/", &paths, &["b/c/a.yaml", "b/c/d.json"]);
    check_pattern("**/", &paths, &["b/a.yaml", "b/c/a.yaml", "b/c/d.json"]);
    check_pattern("?.yaml", &paths, &["a.yaml"]);
    check_pattern("{a,b/a}.yaml", &paths, &["a.yaml", "b/a.yaml"]);
    check_pattern("b{,/c}/a.yaml", &paths, &["b/a.yaml", "b/c/a.yaml"]);
    check_pattern(
        "{b/{a,x}.yaml,b/c/{a.yaml,d.json}}",
        &paths,
        &["b/a.yaml", "b/c/a.yaml", "b/c/d.json"],
    );
}

#[test]
fn classes_match_one_character_of_a_segment() {
    let paths = [
        "a.yaml", "b.yaml", "c.yaml", "-.yaml", "].yaml", "x/a", "x.a", "x0a", "é.yaml",
    ];
    check_pattern("[ab].yaml", &paths, &["a.yaml", "b.yaml"]);
    check_pattern("[b-c].yaml", &paths, &["b.yaml", "c.yaml"]);
    check_pattern("[!a-c].yaml", &paths, &["-.yaml", "].yaml", "é.yaml"]);
    check_pattern("[^a-c].yaml", &paths, &["-.yaml", "].yaml", "é.yaml"]);
    check_pattern("[]-].yaml", &paths, &["-.yaml", "].yaml"]);
    check_pattern("[\\]a].yaml", &paths, &["a.yaml", "].yaml"]);
    check_pattern("x[.-0]a", &paths, &["x.a", "x0a"]);
    check_pattern("x[!a]a", &paths, &["x.a", "x0a"]);
}

#[test]
fn backslashes_escape_special_characters() {
    let paths = [
        "a*.yaml",
        "ab.yaml",
        "{a}.yaml",
        "!a.yaml",
        "[a].yaml",
        "a\\b.yaml",
    ];
    check_pattern("a\\*.yaml", &paths, &["a*.yaml"]);
    check_pattern("\\{a\\}.yaml", &paths, &["{a}.yaml"]);
    check_pattern("\\!a.yaml", &paths, &["!a.yaml"]);
    check_pattern("\\[a].yaml", &paths, &["[a].yaml"]);
    check_pattern("a\\\\b.yaml", &paths, &["a\\b.yaml"]);
}

#[test]
fn patterns_are_case_sensitive() {
    check_error(
        "{manifests: {include: [App.yaml]}}",
        &["app.yaml"],
        &["`App.yaml` includes no file", "did you mean `app.yaml`?"],
    );
}

#[test]
fn the_last_matching_pattern_wins() {
    let paths = ["a.yaml", "b/c.yaml", "b/d.yaml", "b/e/f.yaml"];
    check(
        "{manifests: {exclude: ['b/', '!b/d.yaml', '!b/e/']}}",
        &paths,
        &["a.yaml", "b/d.yaml", "b/e/f.yaml"],
    );
    check(
        "{manifests: {exclude: ['b/', '!b/e/', 'b/e/f.yaml']}}",
        &paths,
        &["a.yaml"],
    );
    check(
        "{manifests: {include: ['**/*.yaml', '!b/c.yaml', '!b/e/*']}}",
        &paths,
        &["a.yaml", "b/d.yaml"],
    );
    check(
        "{manifests: {include: ['**/*.yaml'], exclude: [b/, '!b/c.yaml']}}",
        &paths,
        &["a.yaml", "b/c.yaml"],
    );
}

#[test]
fn rejects_a_list_that_begins_with_a_negated_pattern() {
    check_error(
        "{manifests: {exclude: ['!cm.yaml']}}",
        &["cm.yaml", "other.yaml"],
        &["`!cm.yaml` negates nothing", "`cm.yaml` without `!`"],
    );
}

#[test]
fn include_selects_only_dotfiles_that_it_names() {
    let paths = ["a.yaml", ".b.yaml", ".c/d.yaml", "e/.f/g.yaml"];
    check_pattern("**/*.yaml", &paths, &["a.yaml"]);
    check_pattern(".*.yaml", &paths, &[".b.yaml"]);
    check_pattern(".c/**", &paths, &[".c/d.yaml"]);
    check_pattern("e/.f/g.yaml", &paths, &["e/.f/g.yaml"]);
    check_error(
        "{manifests: {include: ['e/**']}}",
        &paths,
        &[
            "`e/**` includes no file",
            "only dotfiles, such as `e/.f/g.yaml`",
        ],
    );
}

#[test]
fn include_never_selects_bindings_and_bound_documents() {
    let paths = ["a.yaml", "landfall.yaml", "out/infra.json"];
    let outputs = "outputs: [{name: infra, from: {file: out/infra.json}}]";
    check(
        &format!("{{{outputs}, manifests: {{include: ['**']}}}}"),
        &paths,
        &["a.yaml"],
    );
    check_error(
        &format!("{{{outputs}, manifests: {{include: ['a.yaml', 'out/*']}}}}"),
        &paths,
        &[
            "`out/*` includes no file",
            "it matches only `out/infra.json`",
        ],
    );
}

#[test]
fn suggests_a_similar_path_for_an_unmatched_pattern() {
    let paths = ["deploy/app.yaml", "charts/a/values.yaml"];
    check_error(
        "{manifests: {include: [deploy/ap.yaml]}}",
        &paths,
        &[
            "`deploy/ap.yaml` includes no file",
            "did you mean `deploy/app.yaml`?",
        ],
    );
    check_error(
        "{manifests: {include: [app.yaml]}}",
        &paths,
        &["did you mean `deploy/app.yaml`?"],
    );
    check_error(
        "{manifests: {include: [deploy]}}",
        &paths,
        &["`deploy` is a folder: write `deploy/`"],
    );
    check(
        "{manifests: {exclude: [charts]}}",
        &paths,
        &[
            "deploy/app.yaml",
            "charts/a/values.yaml",
            "warning: `charts` excludes no file; `charts` is a folder: write `charts/` to match everything in it",
        ],
    );
}

#[test]
fn rejects_malformed_patterns() {
    for (pattern, part) in [
        ("/a.yaml", "starts with `/`"),
        ("../a.yaml", "a segment `.` or `..`"),
        ("a/./b", "a segment `.` or `..`"),
        ("a//b", "an empty segment"),
        ("a**", "`**` must be a whole segment"),
        ("**.yaml", "`**` must be a whole segment"),
        ("***", "`**` must be a whole segment"),
        ("{**/a,b}", "`**` must be a whole segment"),
        ("[a", "`[` without `]`"),
        ("[]", "`[` without `]`"),
        ("[a/b]", "`/` inside `[…]`"),
        ("[b-a]", "the range `b-a` is empty"),
        ("{a,b", "`{` without `}`"),
        ("a}", "`}` without `{`"),
        ("{{{{{a}}}}}", "nested more than 4 levels deep"),
        ("a\\", "ends with `\\`"),
        ("!", "the pattern is empty"),
        ("./", "the pattern is empty"),
    ] {
        for list in ["include", "exclude"] {
            let spec = format!("{{manifests: {{{list}: [a.yaml, '{pattern}']}}}}");
            check_error(&spec, &["a.yaml"], &[part]);
        }
    }
}

#[test]
fn limits_the_size_of_wildcard_patterns() {
    let many = |pattern: &str| {
        let items: Vec<_> = (0..1000).map(|at| format!("'{pattern}{at}'")).collect();
        format!("{{manifests: {{exclude: [{}]}}}}", items.join(", "))
    };
    check_error(
        &many("folder/*"),
        &["a.yaml"],
        &["the wildcard patterns of `spec.manifests.exclude` exceed 4096 bytes"],
    );
    assert_eq!(selected(&many("plain"), &["a.yaml"]).len(), 1001);
}

#[test]
fn rejects_a_nested_binding_unless_it_is_excluded() {
    let paths = ["a.yaml", "landfall.yaml", "web/b.yaml", "web/landfall.yml"];
    check_error("{}", &paths, &["`app/web/landfall.yml`", "exclude: [web/]"]);
    check("{manifests: {exclude: [web/]}}", &paths, &["a.yaml"]);
    check("{manifests: {include: ['*.yaml']}}", &paths, &["a.yaml"]);
    check_error(
        "{manifests: {include: ['**/b.yaml']}}",
        &paths,
        &["`app/web/landfall.yml`"],
    );
    check("{}", &["a.yaml", ".old/landfall.yaml"], &["a.yaml"]);
}

#[test]
fn rejects_folders_of_other_tools() {
    for (file, parts) in [
        (
            "kustomization.yaml",
            ["kustomize", "`transformers: [landfall.yaml]`"],
        ),
        (
            "kustomization.yml",
            ["kustomize", "`app/kustomization.yml`"],
        ),
        ("Kustomization", ["kustomize", "`app/Kustomization`"]),
        ("Chart.yaml", ["Helm", "`helm template app`"]),
        (
            "helmfile.yaml",
            ["helmfile", "`helmfile -f app/helmfile.yaml template`"],
        ),
        (
            "helmfile.yaml.gotmpl",
            ["helmfile", "`app/helmfile.yaml.gotmpl`"],
        ),
        ("x.jsonnet", ["Jsonnet", "exclude: [x.jsonnet]"]),
    ] {
        check_error("{}", &["a.yaml", file], &parts);
        check_error("{}", &["a.yaml", file], &["`spec: {tool: none}`"]);
        let deep = format!("b/c/{file}");
        let paths = ["a.yaml", deep.as_str(), "b/c/d.yaml"];
        check_error("{}", &paths, &["exclude: [b/c/]"]);
        check("{manifests: {exclude: [b/c/]}}", &paths, &["a.yaml"]);
        check("{manifests: {include: [a.yaml]}}", &paths, &["a.yaml"]);
        let hidden = format!(".b/{file}");
        check("{}", &["a.yaml", &hidden], &["a.yaml"]);
        assert_eq!(selected("{tool: none}", &["a.yaml", file]), ["a.yaml"]);
    }
    check_error(
        "{}",
        &["landfall.yaml", "x.jsonnet", "y.jsonnet"],
        &[
            "`app/x.jsonnet` and 1 more belong to Jsonnet",
            "`jsonnet app/x.jsonnet`",
        ],
    );
    check(
        "{}",
        &["a.yaml", "kustomize.yaml", "b.libsonnet"],
        &["a.yaml", "kustomize.yaml"],
    );
}

#[test]
fn a_kustomize_folder_shows_the_lines_that_build_it() {
    check_error(
        "{}",
        &["kustomization.yaml"],
        &[
            "only with `spec.tool: kustomize`",
            "\nspec:\n  tool: kustomize\n",
        ],
    );
    check_error(
        "{}",
        &["Chart.yaml"],
        &["only with `spec.tool: helm`", "\nspec:\n  tool: helm\n"],
    );
}

#[test]
fn unknown_tools_list_the_valid_values() {
    check_error(
        "{tool: flux}",
        &[],
        &["invalid value `flux` for `spec.tool`", "`tool: none`"],
    );
}

/// Patterns that once took exponential time, and longer ones of the same kind.
/// With backtracking, none of them would come to an end.
#[test]
fn hostile_patterns_are_matched() {
    let hostile = [
        "{a,a}".repeat(40),
        "{*a,*}".repeat(36),
        "*a".repeat(1000),
        "**/".repeat(600) + "x",
    ];
    for pattern in hostile {
        let spec = format!("{{manifests: {{exclude: ['{pattern}']}}}}");
        let path = "a/".repeat(800) + &"a".repeat(800);
        let reported = selected(&spec, &[&path]);
        assert!(reported.len() <= 2, "{reported:?}");
    }
}

/// A reference implementation: expands braces, then backtracks.
mod reference {
    pub(crate) fn matches(pattern: &str, path: &str) -> bool {
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        let below = if pattern.ends_with("**/") {
            "*/**"
        } else {
            "**"
        };
        let folder = format!("{pattern}{below}");
        let pattern = if pattern.ends_with('/') {
            folder.as_str()
        } else {
            pattern
        };
        expanded(pattern).iter().any(|pattern| {
            let pattern: Vec<char> = pattern.chars().collect();
            let path: Vec<char> = path.chars().collect();
            matched(&pattern, &path, true)
        })
    }

    fn expanded(pattern: &str) -> Vec<String> {
        let Some(open) = pattern.find('{') else {
            return vec![pattern.to_owned()];
        };
        let (mut depth, mut from, mut items, mut end) = (0, open + 1, Vec::new(), pattern.len());
        for (at, c) in pattern.char_indices().skip_while(|(at, _)| *at < open) {
            match c {
                '{' => depth += 1,
                '}' if depth == 1 => {
                    items.push(&pattern[from..at]);
                    end = at + 1;
                    break;
                }
                '}' => depth -= 1,
                ',' if depth == 1 => {
                    items.push(&pattern[from..at]);
                    from = at + 1;
                }
                _ => {}
            }
        }
        let (before, after) = (&pattern[..open], &pattern[end..]);
        items
            .iter()
            .flat_map(|item| expanded(&format!("{before}{item}{after}")))
            .collect()
    }

    fn matched(pattern: &[char], path: &[char], at_segment: bool) -> bool {
        match pattern {
            [] => path.is_empty(),
            ['*', '*'] if at_segment => !path.is_empty(),
            ['*', '*', '/', rest @ ..] if at_segment => {
                matched(rest, path, true)
                    || path
                        .iter()
                        .enumerate()
                        .any(|(at, c)| *c == '/' && at > 0 && matched(rest, &path[at + 1..], true))
            }
            ['*', rest @ ..] => (0..=path.len())
                .take_while(|at| *at == 0 || path[*at - 1] != '/')
                .any(|at| matched(rest, &path[at..], false)),
            ['?', rest @ ..] => {
                matches!(path, [c, tail @ ..] if *c != '/' && matched(rest, tail, false))
            }
            ['[', '!', c, ']', rest @ ..] => {
                matches!(path, [d, tail @ ..] if d != c && *d != '/' && matched(rest, tail, false))
            }
            ['[', c, '-', e, ']', rest @ ..] => {
                matches!(path, [d, tail @ ..] if c <= d && d <= e && matched(rest, tail, false))
            }
            [c, rest @ ..] => {
                matches!(path, [d, tail @ ..] if c == d && matched(rest, tail, *c == '/'))
            }
        }
    }
}

fn some_pattern() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "b",
        "ab",
        "c",
        ".",
        "é",
        "*",
        "?",
        "[!a]",
        "[a-b]",
        "{a,b}",
        "{a,b/c}",
        "{b,ab}",
        "{a*,{b,c}}",
    ]);
    let segment = prop_oneof![
        3 => prop::collection::vec(piece, 1..4).prop_map(|pieces| pieces.concat().replace("**", "*")),
        1 => Just("**".to_owned()),
    ];
    (prop::collection::vec(segment, 1..5), any::<bool>())
        .prop_map(|(segments, folder)| segments.join("/") + if folder { "/" } else { "" })
}

fn some_path() -> impl Strategy<Value = String> {
    let segment = prop::collection::vec(prop::sample::select(vec!["a", "b", "c", ".", "é"]), 1..4)
        .prop_map(|letters| letters.concat());
    prop::collection::vec(segment, 1..5).prop_map(|segments| segments.join("/"))
}

proptest! {
    #![proptest_config(landfall_test_support::property::cases(600))]

    #[test]
    fn globs_match_what_the_reference_implementation_matches(
        pattern in some_pattern(),
        paths in prop::collection::vec(some_path(), 20),
    ) {
        let spec = format!("{{manifests: {{exclude: ['{pattern}']}}}}");
        let binding = match binding(&spec) {
            Ok(binding) => binding,
            Err(_) => {
                // Only these are rejected on purpose.
                prop_assert!(pattern.split('/').any(|part| matches!(part, "." | "..")), "{pattern}");
                return Ok(());
            }
        };
        let mut matcher = Matcher::new(&binding.exclude);
        prop_assert!(matcher.too_large.is_empty());
        for path in &paths {
            prop_assert_eq!(matcher.matches(path), reference::matches(&pattern, path), "{} {}", pattern, path);
        }
    }

    #[test]
    fn the_last_matching_pattern_wins_and_every_match_is_counted(
        items in prop::collection::vec((any::<bool>(), some_pattern()), 1..8),
        paths in prop::collection::vec(some_path(), 20),
    ) {
        let list: Vec<String> = items
            .iter()
            .enumerate()
            .map(|(at, (negated, pattern))| {
                format!("'{}{pattern}'", if *negated && at > 0 { "!" } else { "" })
            })
            .collect();
        let Ok(binding) = binding(&format!("{{manifests: {{exclude: [{}]}}}}", list.join(", "))) else {
            return Ok(());
        };
        let mut matcher = Matcher::new(&binding.exclude);
        for path in &paths {
            let mut expected = false;
            for (at, (negated, pattern)) in items.iter().enumerate() {
                if reference::matches(pattern, path) {
                    expected = !(*negated && at > 0);
                }
            }
            prop_assert_eq!(matcher.matches(path), expected, "{:?} {}", list, path);
        }
        let unmatched: Vec<&str> = matcher.unmatched().map(|pattern| pattern.text.as_str()).collect();
        for ((_, pattern), text) in items.iter().zip(&list) {
            let matches = paths.iter().any(|path| reference::matches(pattern, path));
            prop_assert_eq!(!unmatched.contains(&text.trim_matches('\'')), matches, "{:?} {}", list, text);
        }
    }

    #[test]
    fn every_pattern_that_parses_compiles(text in "[-a!*?\\[\\]{},/.\\\\^&~ é]{1,40}") {
        if let Ok(crate::config::patterns::glob::Glob::Wild { regex, .. }) = crate::config::patterns::glob::Glob::parse(&text) {
            prop_assert!(regex_lite::Regex::new(&regex).is_ok(), "{text} {regex}");
        }
    }
}
