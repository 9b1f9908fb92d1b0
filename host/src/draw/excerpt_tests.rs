use super::{Excerpt, Marked, Positions, excerpts};

/// Parses text in which `‹…›` marks a span, and `«…»` a concealed one.
fn parse_marks(marked: &str) -> (String, Vec<Marked>) {
    let mut content = String::new();
    let mut open = Vec::new();
    let mut marks = Vec::new();
    for char in marked.chars() {
        match char {
            '‹' | '«' => open.push(content.len()),
            '›' | '»' => {
                let start = open.pop().expect("an opening mark");
                marks.push(Marked {
                    span: start..content.len(),
                    conceal: char == '»',
                });
            }
            _ => content.push(char),
        }
    }
    (content, marks)
}

/// Formats the excerpts with their marks, each after a line `line N:`.
fn show(content: &str, excerpts: &[Excerpt]) -> String {
    let mut out = String::new();
    for excerpt in excerpts {
        let line = content[..excerpt.first_byte].matches('\n').count() + 1;
        let mut text = excerpt.text.clone();
        let mut marks: Vec<_> = excerpt.marks.iter().map(|(_, span)| span.clone()).collect();
        marks.sort_by_key(|span| std::cmp::Reverse(span.start));
        for span in marks {
            text.insert(span.end, '›');
            text.insert(span.start, '‹');
        }
        out.push_str(&format!("line {line}:\n{text}\n"));
    }
    out
}

#[track_caller]
fn check(marked: &str, expect: &str) {
    let (content, marks) = parse_marks(marked);
    let excerpts = excerpts(&Positions::new(content.as_bytes()), &marks).expect("UTF-8");
    assert_eq!(show(&content, &excerpts), expect);
}

#[test]
fn short_lines_are_shown_whole() {
    check("a: 1\nb: ‹${x.y}›\nc: 3\n", "line 2:\nb: ‹${x.y}›\n");
    check("‹›", "line 1:\n‹›\n");
    check("a: 1\n‹›", "line 2:\n‹›\n");
    check("a: ‹1\n›b: 2\n", "line 1:\na: ‹1›\nb: 2\n");
}

#[test]
fn near_marks_share_an_excerpt_and_far_ones_do_not() {
    check("‹a›\nb\n‹c›\n", "line 1:\n‹a›\nb\n‹c›\n");
    check("‹a›\n1\n2\n3\n4\n‹c›\n", "line 1:\n‹a›\nline 6:\n‹c›\n");
}

#[test]
fn concealed_lines_show_only_their_spans() {
    check(
        "password: «${infra.pw}» # hunter2\n",
        "line 1:\n…‹${infra.pw}›…\n",
    );
    check("«name»: hunter2\n", "line 1:\n‹name›…\n");
    check("hunter2«»hunter2\n", "line 1:\n…‹›…\n");
    check("«a» hunter2\nhunter2\n«b»\n", "line 1:\n‹a›…\n…\n‹b›\n");
    // Other spans on a concealed line are concealed.
    check("«a» ‹hunter2› b\n", "line 1:\n‹a›‹…›\n");
    // The line where a concealed span ends with its line break.
    check("x «a\n»hunter2\n", "line 1:\n…‹a›\n…\n");
}

#[test]
fn spans_over_several_lines() {
    check("a: ‹|\n  b\n  c›\nd\n", "line 1:\na: ‹|\n  b\n  c›\n");
    check("x «a\nb» hunter2\n", "line 1:\n…‹a\nb›…\n");
    let long = format!("a: ‹{}›\n", "b\n".repeat(50));
    check(&long, "line 1:\na: ‹b›\n");
}

#[test]
fn long_lines_are_shortened_around_their_spans() {
    let line = format!("{}‹here›{}\n", "a".repeat(1000), "b".repeat(1000));
    check(
        &line,
        &format!("line 1:\n…{}‹here›{}…\n", "a".repeat(60), "b".repeat(60)),
    );
    let span = format!(
        "{}‹{}›{}\n",
        "a".repeat(10),
        "x".repeat(1000),
        "b".repeat(1000)
    );
    check(
        &span,
        &format!(
            "line 1:\n{}‹{}{}…›\n",
            "a".repeat(10),
            "x".repeat(160),
            "x".repeat(60)
        ),
    );
    let wide = format!("{}‹ключ›{}\n", "ж".repeat(200), "ж".repeat(200));
    check(
        &wide,
        &format!("line 1:\n…{}‹ключ›{}…\n", "ж".repeat(30), "ж".repeat(30)),
    );
    let two = format!("‹a›{}‹b›\n", "-".repeat(1000));
    check(
        &two,
        &format!("line 1:\n‹a›{}…{}‹b›\n", "-".repeat(60), "-".repeat(60)),
    );
}

#[test]
fn line_breaks_marks_and_controls() {
    check("a: 1\r\nb: ‹2›\r\nc: 3\r\n", "line 2:\nb: ‹2›\n");
    check("a‹\r\n›b\r\n", "line 1:\na‹›\nb\n");
    check("\u{feff}a: ‹1›\n", "line 1:\na: ‹1›\n");
    check(
        "\ta: ‹\u{1b}[31m›\u{9b}\n",
        "line 1:\n\ta: ‹␛[31m›\u{fffd}\n",
    );
}

#[test]
fn spans_that_the_document_does_not_have() {
    let mark = |start, end| Marked {
        span: start..end,
        conceal: false,
    };
    let found =
        excerpts(&Positions::new(b"abc\n"), &[mark(2, 900), mark(500, 900)]).expect("UTF-8");
    assert_eq!(show("abc\n", &found), "line 1:\nab‹c›\n‹›\n");
    let backwards = std::ops::Range { start: 3, end: 1 };
    assert!(
        excerpts(
            &Positions::new(b"abc\n"),
            &[Marked {
                span: backwards,
                conceal: false
            }]
        )
        .is_some()
    );
    // Inside a character.
    assert!(excerpts(&Positions::new("жжж".as_bytes()), &[mark(1, 3)]).is_some());
}

#[test]
fn invalid_utf_8_is_not_shown() {
    let mark = Marked {
        span: 8..9,
        conceal: false,
    };
    assert_eq!(excerpts(&Positions::new(b"a: 1\nb: \xff\n"), &[mark]), None);
}
