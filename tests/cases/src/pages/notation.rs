//! A visible notation for invisible bytes.
//!
//! `␠` is a space at the end of a line, `␉` a tab, `␍` a carriage return. After a block's
//! role, `crlf` ends every line in CR LF, `bom` adds a byte order mark at the beginning,
//! and `no-eol` removes the last line break. `folder` and `argo-cd` change no byte: the
//! manifest is then part of a folder, or rendered under Argo CD's ceiling. `as-is` makes JSON
//! an outputs document with `format: json` instead of the short form.

/// The words after the role of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Lines end in CR LF.
    pub crlf: bool,
    /// The text begins with a byte order mark.
    pub bom: bool,
    /// The last line has no end.
    pub no_eol: bool,
    /// The manifest is the file of a folder.
    pub folder: bool,
    /// The manifest is rendered under Argo CD's ceiling.
    pub argo_cd: bool,
    /// JSON is not the short form of outputs.
    pub as_is: bool,
}

const BOM: &str = "\u{feff}";

impl Marks {
    /// Reads the words after a role.
    ///
    /// # Errors
    /// The first word that isn't a mark.
    pub fn read<'w>(words: impl Iterator<Item = &'w str>) -> Result<Self, &'w str> {
        let mut marks = Self::default();
        for word in words {
            match word {
                "crlf" => marks.crlf = true,
                "bom" => marks.bom = true,
                "no-eol" => marks.no_eol = true,
                "folder" => marks.folder = true,
                "argo-cd" => marks.argo_cd = true,
                "as-is" => marks.as_is = true,
                other => return Err(other),
            }
        }
        Ok(marks)
    }

    /// Returns the words, each with a space before it.
    pub fn words(self) -> String {
        [
            (self.crlf, " crlf"),
            (self.bom, " bom"),
            (self.no_eol, " no-eol"),
            (self.folder, " folder"),
            (self.argo_cd, " argo-cd"),
            (self.as_is, " as-is"),
        ]
        .into_iter()
        .filter_map(|(set, word)| set.then_some(word))
        .collect()
    }
}

/// Decodes a block to the text that it represents.
pub fn read(block: &str, marks: Marks) -> String {
    let mut text = block
        .replace('␠', " ")
        .replace('␉', "\t")
        .replace('␍', "\r");
    if marks.no_eol && text.ends_with('\n') {
        text.pop();
    }
    if marks.crlf {
        text = text.replace('\n', "\r\n");
    }
    if marks.bom {
        text.insert_str(0, BOM);
    }
    text
}

/// Encodes a text as a block.
pub fn write(text: &str) -> (String, Marks) {
    let mut marks = Marks::default();
    let text = match text.strip_prefix(BOM) {
        Some(rest) => {
            marks.bom = true;
            rest
        }
        None => text,
    };
    let breaks = text.matches('\n').count();
    marks.crlf = breaks > 0 && breaks == text.matches("\r\n").count();
    let mut text = if marks.crlf {
        text.replace("\r\n", "\n")
    } else {
        text.to_owned()
    };
    if !text.is_empty() && !text.ends_with('\n') {
        marks.no_eol = true;
        text.push('\n');
    }
    let mut block = String::new();
    for line in text.split_inclusive('\n') {
        let line = line.strip_suffix('\n').unwrap_or(line);
        let content = line.trim_end_matches(' ');
        block.push_str(&content.replace('\t', "␉").replace('\r', "␍"));
        block.extend(std::iter::repeat_n('␠', line.len() - content.len()));
        block.push('\n');
    }
    (block, marks)
}

#[test]
fn written_text_reads_back() {
    for text in [
        "",
        "a\n",
        "a",
        "a: |\r\n  b\r\n",
        "\u{feff}a \n\tb\n",
        "a\r\nb\n",
        "\r",
    ] {
        let (block, marks) = write(text);
        assert_eq!(read(&block, marks), text, "{text:?} as {block:?}");
    }
}
