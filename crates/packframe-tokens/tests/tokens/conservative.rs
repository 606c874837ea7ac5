use packframe_tokens::{
    At, Conservative, Keep, Running, Seams, Tokenizer, TokenizerError, count_till_limit, truncate,
};

use crate::oracle::{Texts, named};

fn bound() -> Conservative {
    Conservative::new().expect("both encodings are known")
}

/// What the encoding counts that counts more.
fn most(text: &str) -> u64 {
    let count = |name| named(name).count(text).expect("an encoding never fails");
    count("o200k_base").max(count("cl100k_base"))
}

#[test]
fn it_is_the_greater_count() -> Result<(), TokenizerError> {
    let (bound, mut texts) = (bound(), Texts::new(11));
    let mut greater = [0, 0];
    for _ in 0..20_000 {
        let text = texts.text(8);
        assert_eq!(bound.count(&text)?, most(&text), "{text:?}");
        let units = bound.units(&text);
        assert_eq!(bound.tokens(units), most(&text), "{text:?}");
        assert!(bound.tokens(bound.most_units(text.len())) >= most(&text));
        let each = ["o200k_base", "cl100k_base"].map(|name| named(name).units(&text));
        greater[usize::from(each[0] < each[1])] += usize::from(each[0] != each[1]);
    }
    assert!(greater.iter().all(|&times| times > 100), "{greater:?}");
    Ok(())
}

/// Sums of units are sums of each encoding, whichever has more in which part.
#[test]
fn parts_at_seams_add_up() {
    let (bound, mut texts) = (bound(), Texts::new(12));
    let mut tried = 0;
    for _ in 0..20_000 {
        let text = texts.text(12);
        for seam in [bound.first_seam(&text), bound.last_seam(&text)] {
            let Some(seam) = seam else { continue };
            let units = bound.units(&text[..seam]) + bound.units(&text[seam..]);
            assert_eq!(bound.tokens(units), most(&text), "{text:?} at {seam}");
            for name in ["o200k_base", "cl100k_base"] {
                let sum = named(name).units(&text[..seam]) + named(name).units(&text[seam..]);
                assert_eq!(sum, named(name).units(&text), "{name}: {text:?} at {seam}");
            }
            tried += 1;
        }
    }
    assert!(tried > 5_000, "only {tried}");
}

/// One half may lose more than it has without taking from the other.
#[test]
fn what_is_left_without_some_bytes_is_a_lower_bound() {
    let bound = bound();
    let units = bound.units("Привет, мир");
    let tokens = bound.tokens(units);
    for bytes in 0..40 {
        let left = bound.tokens(bound.units_without(units, bytes));
        assert_eq!(left, tokens.saturating_sub(bytes as u64));
    }
}

#[test]
fn the_verbs_keep_to_it() -> Result<(), TokenizerError> {
    let (bound, mut texts) = (bound(), Texts::new(13));
    for _ in 0..2_000 {
        let text = texts.text(30);
        let whole = most(&text);
        for limit in [0, 1, whole.saturating_sub(1), whole, whole + 1] {
            let counted = count_till_limit(&bound, &text, limit)?;
            assert_eq!(counted, (whole <= limit).then_some(whole), "{text:?}");
            let cut = truncate(&bound, &text, limit, (Keep::Head, At::Grapheme), "")?;
            assert!(most(&cut.text) <= limit, "{text:?} to {limit}: {cut:?}");
        }
        let mut running = Running::default();
        for c in text.chars() {
            running.append(c.encode_utf8(&mut [0; 4]));
            assert_eq!(running.count(&bound)?, most(running.text()), "{text:?}");
        }
    }
    Ok(())
}
