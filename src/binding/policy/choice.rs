//! The policies that are one word out of a few: one table, for the Binding, the
//! flags and the operator's ceiling alike.

/// A policy with one word for each of its values.
pub(crate) trait Choice: Copy + Default + Ord + 'static {
    /// The policy's key.
    const KEY: &'static str;
    /// Its values and their words, the strictest first.
    const WORDS: &'static [(Self, &'static str)];

    /// The word of this value.
    fn word(self) -> &'static str {
        let mut words = Self::WORDS.iter();
        words
            .find(|(value, _)| *value == self)
            .map_or("", |(_, word)| *word)
    }
}

macro_rules! choices {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident => $key:literal {
            $($(#[$meta:meta])+ $value:ident => $word:literal,)+
        }
    )+) => {
        $(
            $(#[doc = $doc])+
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
            pub(crate) enum $name { $($(#[$meta])+ $value,)+ }

            impl Choice for $name {
                const KEY: &'static str = $key;
                const WORDS: &'static [(Self, &'static str)] = &[$(($name::$value, $word),)+];
            }
        )+
    };
}

choices! {
    /// A bound name without the output that a reference asks for.
    Missing => "missing" {
        /// An error.
        #[default]
        Error => "error",
        /// The reference stays in the text, with a warning.
        Keep => "keep",
    }

    /// An output that is null or an empty string.
    Empty => "empty" {
        /// An error, unless a default answers.
        #[default]
        Error => "error",
        /// It is a value like others.
        Allow => "allow",
    }

    /// A bound document that is not there. Hosts open documents, and so they
    /// are who follows it.
    Unpublished => "unpublished" {
        /// An error.
        #[default]
        Error => "error",
        /// The name is as good as unbound: its references stay.
        Keep => "keep",
    }

    /// Bound outputs that nothing uses.
    Unused => "unused" {
        /// An error.
        Error => "error",
        /// A note.
        #[default]
        Note => "note",
        /// Nothing is told.
        Ignore => "ignore",
    }

    /// A folder that would render to no resource.
    NoResources => "noResources" {
        /// An error.
        #[default]
        Error => "error",
        /// An empty answer.
        Allow => "allow",
    }

    /// The function `nonsensitive`: the operator's alone to say.
    Nonsensitive => "nonsensitive" {
        /// It is an error on what is sensitive.
        Refuse => "refuse",
        /// It takes the mark off.
        #[default]
        Allow => "allow",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Choice + std::fmt::Debug>(expected: &str) {
        let words: Vec<_> = T::WORDS.iter().map(|(value, _)| value.word()).collect();
        let told = format!(
            "{}: {} ({})",
            T::KEY,
            words.join(" < "),
            T::default().word()
        );
        assert_eq!(told, expected);
        assert!(T::WORDS.is_sorted_by_key(|(value, _)| *value));
    }

    #[test]
    fn the_strictest_comes_first() {
        check::<Missing>("missing: error < keep (error)");
        check::<Empty>("empty: error < allow (error)");
        check::<Unpublished>("unpublished: error < keep (error)");
        check::<Unused>("unused: error < note < ignore (note)");
        check::<NoResources>("noResources: error < allow (error)");
        check::<Nonsensitive>("nonsensitive: refuse < allow (allow)");
    }
}
