//! Data that is written as YAML.

/// A value that can be written as YAML: null, a bool, a number, a string, a list or a
/// map, whatever type holds it.
///
/// # Examples
/// ```
/// use landfall_yaml::{Data, Shape};
///
/// /// Lists of strings, as deep as one likes.
/// enum Strings {
///     One(&'static str),
///     Many(Vec<Strings>),
/// }
///
/// impl Data for Strings {
///     fn shape(&self) -> Shape<'_, Self> {
///         match self {
///             Self::One(text) => Shape::String(text),
///             Self::Many(items) => Shape::List(items),
///         }
///     }
///
///     fn entries(&self) -> impl ExactSizeIterator<Item = (&str, &Self)> {
///         std::iter::empty()
///     }
/// }
///
/// let list = Strings::Many(vec![Strings::One("a"), Strings::One("true")]);
/// assert_eq!(landfall_yaml::flow(&list, Default::default()), "[a, \"true\"]");
/// ```
pub trait Data: Sized {
    /// Returns what the value is, with its content.
    fn shape(&self) -> Shape<'_, Self>;

    /// Returns the entries of a map in their order; none for other values.
    fn entries(&self) -> impl ExactSizeIterator<Item = (&str, &Self)>;

    /// Returns what the value is.
    fn data_type(&self) -> DataType {
        match self.shape() {
            Shape::Null => DataType::Null,
            Shape::Bool(_) => DataType::Bool,
            Shape::Number(_) => DataType::Number,
            Shape::String(_) => DataType::String,
            Shape::List(_) => DataType::List,
            Shape::Map => DataType::Map,
        }
    }

    /// Returns the value as part of a longer text: a string, a number's digits, `true` or
    /// `false`. `None` for null, lists and maps.
    fn as_text(&self) -> Option<&str> {
        match self.shape() {
            Shape::String(text) | Shape::Number(text) => Some(text),
            Shape::Bool(true) => Some("true"),
            Shape::Bool(false) => Some("false"),
            Shape::Null | Shape::List(_) | Shape::Map => None,
        }
    }

    /// Returns whether block style writes the value on lines of its own: lists and maps
    /// that have members.
    fn is_block(&self) -> bool {
        match self.shape() {
            Shape::List(items) => !items.is_empty(),
            Shape::Map => self.entries().len() > 0,
            _ => false,
        }
    }
}

/// A string as data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text<'t>(pub &'t str);

impl Data for Text<'_> {
    fn shape(&self) -> Shape<'_, Self> {
        Shape::String(self.0)
    }

    fn entries(&self) -> impl ExactSizeIterator<Item = (&str, &Self)> {
        std::iter::empty()
    }
}

/// What a [`Data`] value is, with its content.
#[derive(Clone, Copy, Debug)]
pub enum Shape<'v, V> {
    /// `null`
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// The digits of a number, as JSON writes them.
    Number(&'v str),
    /// A string, before any quoting.
    String(&'v str),
    /// The items of a list.
    List(&'v [V]),
    /// A map: its content is [`Data::entries`].
    Map,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataType {
    /// `null`
    Null,
    /// `true` or `false`.
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
    /// A list.
    List,
    /// A map.
    Map,
}
