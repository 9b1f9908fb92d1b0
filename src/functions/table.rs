//! The table of all functions.

use crate::functions::ReturnType::{Item, Same, Strings, Unknown};
use crate::functions::Times::{Many, Once, Optional};
use crate::functions::{Body, Function, Kind, Parameter, ReturnType, Types};
use crate::functions::{address, arn, convert, encoding, list, object, text};
use crate::outputs::Type;

const ANY: Types = Types::ANY;
const TEXT: Types = Types::TEXT;
const LIST: Types = Types::LIST;
const OBJECT: Types = Types::OBJECT;
const STRING: ReturnType = ReturnType::Type(Type::String);
const NUMBER: ReturnType = ReturnType::Type(Type::Number);
const BOOL: ReturnType = ReturnType::Type(Type::Bool);

/// Every function, grouped as the documentation is.
pub(crate) const FUNCTIONS: &[Function] = &[
    function(
        "default",
        ANY,
        Same,
        &[any("value")],
        "the value, or this fallback if there is none",
        Body::Default,
    ),
    function(
        "required",
        ANY,
        Same,
        &[literal("why")],
        "the value, or an error with this reason if there is none",
        Body::Required,
    ),
    function(
        "nonsensitive",
        ANY,
        Same,
        &[],
        "the value, no longer marked as sensitive",
        Body::Nonsensitive,
    ),
    // Types
    function(
        "string",
        TEXT,
        STRING,
        &[],
        "a number or a bool as a string",
        Body::Value(convert::string),
    ),
    function(
        "number",
        Types::of(&[Type::Number, Type::String]),
        NUMBER,
        &[],
        "a string as a number",
        Body::Value(convert::number),
    ),
    function(
        "bool",
        Types::of(&[Type::Bool, Type::String]),
        BOOL,
        &[],
        "the string `true` or `false` as a bool",
        Body::Value(convert::bool),
    ),
    function(
        "verbatim",
        ANY,
        Same,
        &[],
        "the value unchanged: it is already base64, for a Secret's `data`",
        Body::Value(convert::verbatim),
    ),
    // Text
    function(
        "lower",
        TEXT,
        STRING,
        &[],
        "the string in lower case",
        Body::Value(text::lower),
    ),
    function(
        "upper",
        TEXT,
        STRING,
        &[],
        "the string in upper case",
        Body::Value(text::upper),
    ),
    function(
        "title",
        TEXT,
        STRING,
        &[],
        "the string with the first letter of each word in upper case",
        Body::Value(text::title),
    ),
    function(
        "trim",
        TEXT,
        STRING,
        &[maybe(text("characters"))],
        "the string without white space, or these characters, at both ends",
        Body::Value(text::trim),
    ),
    function(
        "trim_prefix",
        TEXT,
        STRING,
        &[text("prefix")],
        "the string without this prefix",
        Body::Value(text::trim_prefix),
    ),
    function(
        "trim_suffix",
        TEXT,
        STRING,
        &[text("suffix")],
        "the string without this suffix",
        Body::Value(text::trim_suffix),
    ),
    function(
        "prefix",
        TEXT,
        STRING,
        &[text("prefix")],
        "the string with this prefix before it",
        Body::Value(text::prefix),
    ),
    function(
        "suffix",
        TEXT,
        STRING,
        &[text("suffix")],
        "the string with this suffix after it",
        Body::Value(text::suffix),
    ),
    function(
        "replace",
        TEXT,
        STRING,
        &[text("old"), text("new")],
        "the string with every occurrence replaced",
        Body::Value(text::replace),
    ),
    function(
        "substring",
        TEXT,
        STRING,
        &[whole("start"), maybe(whole("length"))],
        "a part of the string, counted in characters",
        Body::Value(text::substring),
    ),
    function(
        "split",
        TEXT,
        Strings,
        &[text("separator")],
        "the parts of the string as a list",
        Body::Value(text::split),
    ),
    function(
        "indent",
        TEXT,
        STRING,
        &[whole("spaces")],
        "the string with all lines but the first indented",
        Body::Value(text::indent),
    ),
    // Lists and objects
    function(
        "join",
        LIST,
        STRING,
        &[text("separator")],
        "the items of the list as one string",
        Body::Value(list::join),
    ),
    function(
        "first",
        LIST,
        Item,
        &[],
        "the first item of the list",
        Body::Value(list::first),
    ),
    function(
        "last",
        LIST,
        Item,
        &[],
        "the last item of the list",
        Body::Value(list::last),
    ),
    function(
        "at",
        LIST,
        Item,
        &[whole("index")],
        "the item at this index; negative indices count from the end",
        Body::Value(list::at),
    ),
    function(
        "sort",
        LIST,
        Same,
        &[],
        "the strings of the list, sorted by code points",
        Body::Value(list::sort),
    ),
    function(
        "unique",
        LIST,
        Same,
        &[],
        "the list without duplicates",
        Body::Value(list::unique),
    ),
    function(
        "compact",
        LIST,
        Same,
        &[],
        "the list without nulls and empty strings",
        Body::Value(list::compact),
    ),
    function(
        "concat",
        LIST,
        Same,
        &[many(list("list"))],
        "the list and these lists concatenated",
        Body::Concat,
    ),
    function(
        "each",
        Types::of(&[Type::List, Type::Object]),
        ReturnType::Each,
        &[once("call", Kind::Call)],
        "the list or object with a function called on each item or value",
        Body::Each,
    ),
    function(
        "get",
        OBJECT,
        Unknown,
        &[text("key")],
        "the object's value for this key",
        Body::Value(object::get),
    ),
    function(
        "keys",
        OBJECT,
        Strings,
        &[],
        "the object's keys, sorted",
        Body::Value(object::keys),
    ),
    function(
        "values",
        OBJECT,
        ReturnType::Type(Type::List),
        &[],
        "the object's values, in the order of their keys",
        Body::Value(object::values),
    ),
    function(
        "pairs",
        OBJECT,
        Strings,
        &[text("separator")],
        "the object's keys and values as strings",
        Body::Value(object::pairs),
    ),
    function(
        "object",
        ANY,
        ReturnType::Type(Type::Object),
        &[many(text("key"))],
        "an object with the value under this key; more keys nest it",
        Body::Value(object::object_of),
    ),
    function(
        "length",
        Types::of(&[Type::String, Type::List, Type::Object]),
        NUMBER,
        &[],
        "the number of characters, items or keys",
        Body::Value(list::length),
    ),
    function(
        "spread",
        LIST,
        Same,
        &[],
        "the items of the list in the place of the item that is the reference",
        Body::Spread,
    ),
    // Encodings
    function(
        "json",
        ANY,
        STRING,
        &[],
        "the value as compact JSON",
        Body::Value(encoding::json),
    ),
    function(
        "yaml",
        ANY,
        STRING,
        &[],
        "the value as block YAML",
        Body::Value(encoding::yaml),
    ),
    function(
        "json_decode",
        TEXT,
        Unknown,
        &[],
        "the value of a string that is JSON",
        Body::Value(encoding::json_decode),
    ),
    function(
        "yaml_decode",
        TEXT,
        Unknown,
        &[],
        "the value of a string that is YAML",
        Body::Value(encoding::yaml_decode),
    ),
    function(
        "quote",
        TEXT,
        STRING,
        &[],
        "the string as a JSON string, including quotes",
        Body::Value(encoding::quote),
    ),
    function(
        "base64",
        TEXT,
        STRING,
        &[],
        "the string encoded as base64",
        Body::Value(encoding::base64),
    ),
    function(
        "base64_decode",
        TEXT,
        STRING,
        &[],
        "the string decoded from base64",
        Body::Value(encoding::base64_decode),
    ),
    function(
        "base64url",
        TEXT,
        STRING,
        &[],
        "the string encoded as URL-safe base64, without padding",
        Body::Value(encoding::base64url),
    ),
    function(
        "sha256",
        TEXT,
        STRING,
        &[],
        "the string's SHA-256 in hexadecimal",
        Body::Value(encoding::sha256),
    ),
    function(
        "hex",
        TEXT,
        STRING,
        &[],
        "the string's bytes in hexadecimal",
        Body::Value(encoding::hex),
    ),
    function(
        "url_encode",
        TEXT,
        STRING,
        &[],
        "the string escaped for a URL",
        Body::Value(encoding::url_encode),
    ),
    // Addresses
    function(
        "arn",
        TEXT,
        STRING,
        &[text("part")],
        "a part of an Amazon resource name",
        Body::Value(arn::arn),
    ),
    function(
        "cidr_host",
        TEXT,
        STRING,
        &[whole("number")],
        "the network's address with this number",
        Body::Value(address::cidr_host),
    ),
    function(
        "hostname",
        TEXT,
        STRING,
        &[],
        "the host of a URL",
        Body::Value(address::hostname),
    ),
    function(
        "port",
        TEXT,
        NUMBER,
        &[],
        "the port of a URL",
        Body::Value(address::port),
    ),
];

/// Names that Terraform, Helm and others use for functions that have another name here.
pub(crate) const ELSEWHERE: &[(&str, &str)] = &[
    ("b64dec", "base64_decode"),
    ("b64enc", "base64"),
    ("base64decode", "base64_decode"),
    ("base64encode", "base64"),
    ("coalesce", "default"),
    ("dict", "object"),
    ("distinct", "unique"),
    ("downcase", "lower"),
    ("element", "at"),
    ("formatlist", "each"),
    ("fromjson", "json_decode"),
    ("fromyaml", "yaml_decode"),
    ("jsondecode", "json_decode"),
    ("jsonencode", "json"),
    ("len", "length"),
    ("lookup", "get"),
    ("map", "each"),
    ("nindent", "indent"),
    ("sha256sum", "sha256"),
    ("squote", "quote"),
    ("substr", "substring"),
    ("tobool", "bool"),
    ("tojson", "json"),
    ("tolower", "lower"),
    ("tonumber", "number"),
    ("tostring", "string"),
    ("toupper", "upper"),
    ("toyaml", "yaml"),
    ("trimspace", "trim"),
    ("uniq", "unique"),
    ("upcase", "upper"),
    ("urlencode", "url_encode"),
    ("urlquery", "url_encode"),
    ("yamldecode", "yaml_decode"),
    ("yamlencode", "yaml"),
];

const fn function(
    name: &'static str,
    accepts: Types,
    returns: ReturnType,
    parameters: &'static [Parameter],
    doc: &'static str,
    body: Body,
) -> Function {
    Function {
        name,
        accepts,
        returns,
        parameters,
        doc,
        body,
    }
}

const fn once(name: &'static str, kind: Kind) -> Parameter {
    Parameter {
        name,
        kind,
        times: Once,
    }
}

const fn any(name: &'static str) -> Parameter {
    once(name, Kind::Any)
}

const fn text(name: &'static str) -> Parameter {
    once(name, Kind::Text)
}

const fn literal(name: &'static str) -> Parameter {
    once(name, Kind::Literal)
}

const fn whole(name: &'static str) -> Parameter {
    once(name, Kind::Whole)
}

const fn list(name: &'static str) -> Parameter {
    once(name, Kind::List)
}

const fn maybe(parameter: Parameter) -> Parameter {
    Parameter {
        times: Optional,
        ..parameter
    }
}

const fn many(parameter: Parameter) -> Parameter {
    Parameter {
        times: Many,
        ..parameter
    }
}
