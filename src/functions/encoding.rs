//! Encodes values in other notations.

use std::fmt::Write as _;

use base64ct::{Base64UrlUnpadded, Encoding};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::{Digest, Sha256};

use crate::functions::call::{ITEM, MAX_VALUE};
use crate::functions::text::text;
use crate::functions::{Arguments, Failure};
use crate::outputs::{
    NotDecoded, Value, base64_bytes, base64_text, decoded_json, decoded_yaml, holds_marked_output,
};
use yaml::{block, has_long_key};

pub(crate) fn json(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    Ok(Value::String(value.to_json()))
}

pub(crate) fn yaml(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    if has_long_key(value) {
        return Err(Failure::Type("an object whose keys fit on one line"));
    }
    Ok(Value::String(block(value, 0, "\n")))
}

pub(crate) fn json_decode(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    let decoded = decoded_json(text(value)?, may_have_values).map_err(not_decoded)?;
    if holds_marked_output(&decoded) {
        let why = "has a `sensitive` mark, which would be lost: bind the document itself";
        return Err(Failure::Content(why.to_owned()));
    }
    Ok(decoded)
}

pub(crate) fn yaml_decode(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    decoded_yaml(text(value)?, may_have_values).map_err(not_decoded)
}

/// Returns whether a text may have this many values: they take more memory than their text.
fn may_have_values(count: usize) -> bool {
    count.saturating_mul(ITEM) <= MAX_VALUE
}

fn not_decoded(error: NotDecoded) -> Failure {
    match error {
        NotDecoded::Because(why) => Failure::Content(why),
        NotDecoded::TooLarge => Failure::TooLarge,
    }
}

pub(crate) fn quote(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    Ok(Value::String(
        Value::String(text(value)?.to_owned()).to_json(),
    ))
}

pub(crate) fn base64(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    Ok(Value::String(base64_text(text(value)?)))
}

/// Encodes as in RFC 7515: without padding.
pub(crate) fn base64url(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    Ok(Value::String(Base64UrlUnpadded::encode_string(
        text(value)?.as_bytes(),
    )))
}

pub(crate) fn base64_decode(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    let bytes = base64_bytes(text(value)?).ok_or(Failure::Form("base64"))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Value::String(text)),
        Err(_) => Err(Failure::Form("base64 of UTF-8 text")),
    }
}

/// Returns whether the API server accepts `text` as base64.
pub(crate) fn is_base64(text: &str) -> bool {
    base64_bytes(text).is_some()
}

pub(crate) fn sha256(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    Ok(Value::String(hexadecimal(&Sha256::digest(
        text(value)?.as_bytes(),
    ))))
}

pub(crate) fn hex(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    Ok(Value::String(hexadecimal(text(value)?.as_bytes())))
}

/// Returns bytes in lowercase hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// Keeps the characters that RFC 3986 calls unreserved; a space becomes `%20`, which is
/// valid in every part of a URL. (Terraform's urlencode writes `+`, which only queries read
/// as a space.)
pub(crate) fn url_encode(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'_')
        .remove(b'.')
        .remove(b'~');
    Ok(Value::String(
        utf8_percent_encode(text(value)?, RESERVED).to_string(),
    ))
}

#[cfg(test)]
mod tests {
    use super::super::call::check_function as check;

    #[test]
    fn base64_with_and_without_padding() {
        for (text, padded, url) in [
            ("", "", ""),
            ("f", "Zg==", "Zg"),
            ("foobar", "Zm9vYmFy", "Zm9vYmFy"),
            ("~~~???", "fn5+Pz8/", "fn5-Pz8_"),
        ] {
            let (text, padded) = (format!("{text:?}"), format!("{padded:?}"));
            check("base64", &text, &[], &padded);
            check("base64url", &text, &[], &format!("{url:?}"));
            check("base64_decode", &padded, &[], &text);
        }
        check("base64_decode", r#""Zm9v\nYmFy\r\n""#, &[], "\"foobar\"");
        for wrong in ["Zg", "Z", "Zg===", "====", "fn5-Pz8_", "Zm9v YmFy", "é"] {
            check(
                "base64_decode",
                &format!("{wrong:?}"),
                &[],
                "Form(\"base64\")",
            );
        }
        check(
            "base64_decode",
            "\"/w==\"",
            &[],
            "Form(\"base64 of UTF-8 text\")",
        );
    }

    #[test]
    fn hashes() {
        let abc = "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"";
        check("sha256", "\"abc\"", &[], abc);
        check("hex", "\"é\"", &[], "\"c3a9\"");
    }

    #[test]
    fn encodes_every_reserved_byte_of_a_url() {
        check(
            "url_encode",
            "\"aZ09-_.~ +/?#%&=@:é\"",
            &[],
            "\"aZ09-_.~%20%2B%2F%3F%23%25%26%3D%40%3A%C3%A9\"",
        );
    }

    #[test]
    fn decodes_what_all_readers_read_alike() {
        check(
            "json_decode",
            r#""{\"a\":[1.50,null]}""#,
            &[],
            r#"{"a":[1.50,null]}"#,
        );
        check("json_decode", r#"" 1 ""#, &[], "1");
        check(
            "yaml_decode",
            r#""a:\n  - 1\n  - \"x\"\n""#,
            &[],
            r#"{"a":[1,"x"]}"#,
        );
        check("yaml_decode", r#""- a\n- b\n""#, &[], r#"["a","b"]"#);
        check("yaml_decode", "\"# c\\n\"", &[], "null");
        for (function, text, why) in [
            (
                "json_decode",
                "{",
                "is not JSON: key must be a string, at line 1, column 2",
            ),
            (
                "json_decode",
                "{\"a\":1,\n\"a\":2}",
                "is not JSON: duplicate key, at line 2, column 1",
            ),
            (
                "yaml_decode",
                "a: yes",
                "has an unquoted value that YAML readers read differently, at line 1, column 4",
            ),
            (
                "yaml_decode",
                "a: 1\na: 2",
                "has a duplicate key, at line 2, column 1",
            ),
            (
                "yaml_decode",
                "a: &x 1",
                "has a tag, an anchor or an alias, at line 1, column 7",
            ),
            (
                "yaml_decode",
                "a: 1\n---\nb: 1",
                "has more than one YAML document, at line 2, column 1",
            ),
            (
                "json_decode",
                r#"{"a": [{"value": "x", "sensitive": true}]}"#,
                "has a `sensitive` mark, which would be lost: bind the document itself",
            ),
            (
                "yaml_decode",
                "a: {value: x, sensitive: 'true'}",
                "has a `sensitive` mark, which the format `yaml` would lose, at line 1, column 4",
            ),
        ] {
            let value = crate::outputs::Value::String(text.to_owned()).to_json();
            check(function, &value, &[], &format!("Content({why:?})"));
        }
        let public = r#""[{\"sensitive\":false,\"value\":\"x\"}]""#;
        check(
            "json_decode",
            public,
            &[],
            r#"[{"sensitive":false,"value":"x"}]"#,
        );
        let many = format!("\"[{}1]\"", "1,".repeat(600_000));
        check("json_decode", &many, &[], "TooLarge");
        check("yaml_decode", &many, &[], "TooLarge");
        let deep = format!("\"{}\"", "[".repeat(100_000));
        check(
            "json_decode",
            &deep,
            &[],
            "Content(\"is not JSON: lists and objects are nested more than 128 levels deep, at line 1, column 129\")",
        );
    }

    #[test]
    fn encodings_nest() {
        check(
            "json",
            r#"{"b":1.50,"a":["x\"",null]}"#,
            &[],
            r#""{\"b\":1.50,\"a\":[\"x\\\"\",null]}""#,
        );
        check(
            "yaml",
            r#"{"b":["x: y",1],"a":{}}"#,
            &[],
            r#""b:\n  - \"x: y\"\n  - 1\na: {}""#,
        );
        check("yaml", "\"yes\"", &[], r#""\"yes\"""#);
        check("quote", "true", &[], r#""\"true\"""#);
        let long = format!("{{\"{}\":1}}", "k".repeat(2000));
        check(
            "yaml",
            &long,
            &[],
            "Type(\"an object whose keys fit on one line\")",
        );
    }
}
