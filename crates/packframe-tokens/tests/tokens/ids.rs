use packframe_tokens::{Approximate, Encode, Tokenizer, encode, encoder, token_offsets};

use crate::oracle::{Texts, pairs};

#[test]
fn ids_and_ends_are_those_of_the_oracle() {
    let mut texts = Texts::new(41);
    for _ in 0..4_000 {
        let text = texts.text(8);
        for pair in pairs() {
            let ids = encode(&*pair.ours, &text).expect("an encoding never fails");
            assert_eq!(ids, pair.theirs.encode_ordinary(&text), "{text:?}");
            let bytes = pair.ours.decode_bytes(&ids).expect("the ids are known");
            assert_eq!(bytes, text.as_bytes());
            let mut end = 0;
            let ends = ids.iter().map(|&id| {
                end += pair.theirs.decode_bytes(&[id]).expect("known").len();
                end
            });
            let expected: Vec<usize> = ends.collect();
            assert_eq!(
                token_offsets(&*pair.ours, &text).expect("never fails"),
                expected
            );
        }
    }
}

#[test]
fn every_rank_is_known_and_no_special_token() {
    for pair in pairs() {
        let ranks = u32::try_from(pair.ours.ranks().count()).expect("a rank has 32 bits");
        assert!(pair.ours.knows(0) && pair.ours.knows(ranks - 1));
        for unknown in [ranks, 200_018, u32::MAX] {
            assert!(!pair.ours.knows(unknown), "{unknown}");
            assert_eq!(pair.ours.decode_bytes(&[unknown]).expect("nothing"), b"");
        }
    }
}

#[test]
fn what_only_counts_says_so() {
    assert!(Approximate.encoder().is_none());
    let Err(error) = encoder(&Approximate) else {
        panic!("it has no ids");
    };
    assert!(error.message().contains("pf.profiles.openai"), "{error}");
    assert!(encode(&Approximate, "text").is_err());
    assert!(token_offsets(&Approximate, "").is_err());
}
