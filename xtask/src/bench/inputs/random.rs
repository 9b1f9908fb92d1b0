//! Pseudo-random numbers that are the same on every machine and in every version.

/// SplitMix64 (Steele, Lea and Flood, 2014): a few lines, and good enough for texts.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns an index into a list of `length` elements, which must not be 0. The bias
    /// of the remainder does not matter here.
    pub(super) const fn below(&mut self, length: usize) -> usize {
        (self.next() % length as u64) as usize
    }

    /// Returns `length` hexadecimal digits, at most 16. The first is a letter, so that no
    /// YAML reader takes the text for a number.
    pub(super) fn hex(&mut self, length: usize) -> String {
        let digits = format!("{:016x}", self.next());
        let letter = b'a' + (self.next() % 6) as u8;
        format!("{}{}", char::from(letter), &digits[17 - length..])
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn the_numbers_are_those_of_the_reference_implementation() {
        let mut random = Random::new(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
        assert_eq!(Random::new(1).hex(16).len(), 16);
        assert_eq!(Random::new(1).hex(1).len(), 1);
    }
}
