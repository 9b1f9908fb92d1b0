//! Go templates in an ApplicationSet: the text renders as it would with a word for each
//! action, or blanks for one alone on its line, and the actions stay as they are.

use landfall::{Diagnostics, Rule, Severity};
use serde_json::Value as Json;

use crate::choices::{Choices, Sequence};
use crate::generated::cases;
use crate::hostile;
use crate::oracle::output_name;
use crate::render::{outputs, render, request};
use crate::tree::{self, Tree};

/// Lines of templates: `@` is an action among other text, `%` one alone on its line, `$` a
/// reference.
const LINES: &[&str] = &[
    "k#: @-$\n",
    "k#: \"@ $\"\n",
    "k#: '@$'\n",
    "%\n",
    "k#: $\n",
    "k#: [@, $]\n",
    "k#: {a: \"$\", b: @}\n",
    "k#: $ # @\n",
    "k#: @\n",
    "k#: |\n  @\n  @ $\n  @\n",
    "k#: >\n  $\n  @\n",
    "k#: >\n  $\n  @\n  a $\n",
    "k#: |\n  $\n  @\n",
    "k#: b $\n  @\n",
    "k#:\n  %\n  - $\n  - @\n",
    "@$#: $\n",
    "k#: @\n  $\n",
    "k#: 1 # landfall: $\n",
    "k#: @ # landfall: $\n",
    "k#: \"$\"@\n",
];

/// The contents of actions.
const ACTIONS: &[&str] = &[
    ".name",
    "- index .labels \"a: b\" -",
    "if eq .x `}} #`",
    "/* } */",
];

const OUTPUTS: usize = 2;

const VALUES: &str = "spec:\n  source:\n    helm:\n      values: |2\n";
const APPLICATION: &str = "apiVersion: argoproj.io/v1alpha1\nkind: Application\n";

/// A template, and the same text without actions.
struct Case {
    template: String,
    words: String,
    /// The actions with what takes their place.
    actions: Vec<(String, String)>,
}

impl Case {
    fn new(choices: &mut Choices<'_>) -> Self {
        let mut case = Self {
            template: String::new(),
            words: String::new(),
            actions: Vec::new(),
        };
        for line in 0..1 + choices.below(4) {
            for symbol in choices.pick(LINES).chars() {
                match symbol {
                    '@' | '%' => case.push_action(choices, symbol == '%'),
                    '$' => {
                        let name = output_name(choices.below(OUTPUTS));
                        case.push(&format!("${{infra.{name}}}"));
                    }
                    '#' if case.words.ends_with(['k', '}']) => case.push(&line.to_string()),
                    symbol => case.push(&symbol.to_string()),
                }
            }
        }
        case
    }

    /// Puts the text into the Helm values of a template.
    fn nested(self) -> Self {
        let inside = |text: &str| {
            let lines = text.lines().map(|line| format!("        {line}\n"));
            format!("{VALUES}{}", lines.collect::<String>())
        };
        Self {
            template: inside(&self.template),
            words: format!("{APPLICATION}{}", inside(&self.words)),
            actions: self.actions,
        }
    }

    fn push(&mut self, text: &str) {
        self.template.push_str(text);
        self.words.push_str(text);
    }

    fn push_action(&mut self, choices: &mut Choices<'_>, alone: bool) {
        let number = self.actions.len();
        let action = format!("{{{{{} {number:03}}}}}", choices.pick(ACTIONS));
        let word = if alone {
            " ".repeat(action.len())
        } else {
            format!("w{number:03}{}", "w".repeat(action.len() - 4))
        };
        self.template.push_str(&action);
        self.words.push_str(&word);
        self.actions.push((action, word));
    }
}

/// Renders a document in a field, and returns its text.
fn rendered(head: &str, field: &str, text: &str, values: &[Json]) -> Result<String, Diagnostics> {
    let lines = text.lines().map(|line| format!("    {line}\n"));
    let manifest = format!("{head}  {field}: |2\n{}", lines.collect::<String>());
    let named = (0..values.len()).map(output_name).zip(values);
    let output = render(manifest.as_bytes(), &request(outputs(named)))?.output;
    let output = String::from_utf8(output).unwrap();
    let trees = tree::read(&output).unwrap_or_else(|error| panic!("{error}: {output}"));
    let [Tree::Map(root)] = &trees[..] else {
        panic!("{output}");
    };
    let inner = root.iter().find_map(|(_, value)| match value {
        Tree::Map(fields) => fields
            .iter()
            .find(|entry| entry.0 == Tree::Text(field.to_owned())),
        _ => None,
    });
    match inner {
        Some((_, Tree::Text(text))) => Ok(text.clone()),
        _ => panic!("{output}"),
    }
}

/// Returns whether two texts are equal, or are documents whose texts are: a block scalar is
/// quoted if its last line is blank, as it is without the action there.
fn same(one: &str, other: &str) -> bool {
    let trees = |text| {
        let is_collection = |tree: &Tree| matches!(tree, Tree::List(_) | Tree::Map(_));
        let trees = tree::read(text).ok()?;
        trees.iter().all(is_collection).then_some(trees)
    };
    let both = || trees(one).zip(trees(other));
    one == other || both().is_some_and(|(one, other)| same_items(&one, &other))
}

fn same_items(one: &[Tree], other: &[Tree]) -> bool {
    one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .all(|(one, other)| same_trees(one, other))
}

fn same_trees(one: &Tree, other: &Tree) -> bool {
    match (one, other) {
        (Tree::Text(one), Tree::Text(other)) => same(one, other),
        (Tree::List(one), Tree::List(other)) => same_items(one, other),
        (Tree::Map(one), Tree::Map(other)) => {
            let mut pairs = one.iter().zip(other);
            one.len() == other.len()
                && pairs.all(|(one, other)| one.0 == other.0 && same_trees(&one.1, &other.1))
        }
        _ => one == other,
    }
}

#[test]
fn actions_stay_and_the_rest_renders_as_without_them() {
    let mut sequence = Sequence::new(31);
    let (mut held, mut refused, mut kept) = (0, 0, 0);
    for _ in 0..cases(2_000).cases {
        let numbers: Vec<u16> = (0..40)
            .map(|_| u16::try_from(sequence.below(1 << 16)).unwrap())
            .collect();
        let choices = &mut Choices::new(&numbers);
        let values: Vec<Json> = (0..OUTPUTS).map(|_| hostile::any(choices)).collect();
        let nested = choices.one_in(3);
        let mut case = Case::new(choices);
        if nested {
            case = case.nested();
        }
        let set = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nspec:\n";
        let map = "apiVersion: v1\nkind: ConfigMap\ndata:\n";
        let template = rendered(set, "templatePatch", &case.template, &values);
        let words = rendered(map, "a.yaml", &case.words, &values);
        let reported = format!("{:?}\n{values:?}\n{template:?}\n{words:?}", case.template);
        match (template, words) {
            (Ok(template), Ok(words)) => {
                let without = case.actions.iter().fold(template, |text, (action, word)| {
                    assert!(text.contains(action), "{action} changed: {reported}");
                    text.replace(action, word)
                });
                let words = words.strip_prefix(APPLICATION).unwrap_or(&words);
                assert!(same(&without, words), "{reported}\n{without:?}\n{words:?}");
                held += 1;
                kept += case.actions.len();
            }
            (Err(found), Ok(_)) => {
                let mut errors = found.iter().filter(|one| one.severity == Severity::Error);
                let is_of_action = errors.all(|error| {
                    let message = "this substitution would change an action of a Go template";
                    matches!(error.rule, Rule::TemplateInValue | Rule::TypeMismatch)
                        || error.rule == Rule::DocumentIsNotYaml && error.message == message
                });
                assert!(is_of_action, "{reported}");
                refused += 1;
            }
            (Err(_), Err(_)) => {}
            (Ok(_), Err(_)) => panic!("{reported}"),
        }
    }
    println!("{held} held with {kept} actions, {refused} were refused");
    assert!(held > 100 && kept > 100 && refused > 50);
}
