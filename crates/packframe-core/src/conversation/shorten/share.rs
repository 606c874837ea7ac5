//! Room shared among several: the short ones stay whole, the others get the same.

/// Shares room among sizes: each gets its size or the same as all that want more; what is left over
/// goes to the first of these, one each. O(n log n).
pub(crate) fn shares(sizes: &[u64], room: u64) -> Vec<u64> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&at| sizes[at]);
    let mut shares = sizes.to_vec();
    let (mut room, mut count) = (room, sizes.len() as u64);
    for (place, &at) in order.iter().enumerate() {
        if sizes[at] <= room / count {
            room -= sizes[at];
            count -= 1;
            continue;
        }
        let (each, left) = (room / count, room % count);
        let mut longer: Vec<usize> = order[place..].to_vec();
        longer.sort_unstable();
        for (nth, at) in (0..).zip(longer) {
            shares[at] = each + u64::from(nth < left);
        }
        break;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::shares;

    /// One each in turn until there is no more, or nobody wants more.
    fn naive(sizes: &[u64], mut room: u64) -> Vec<u64> {
        let mut shares = vec![0; sizes.len()];
        while room > 0 && shares.as_slice() != sizes {
            for (share, size) in shares.iter_mut().zip(sizes) {
                if *share < *size && room > 0 {
                    *share += 1;
                    room -= 1;
                }
            }
        }
        shares
    }

    #[test]
    fn it_is_as_if_each_took_one_in_turn() {
        let lists: [&[u64]; 6] = [
            &[],
            &[5],
            &[3, 9, 1],
            &[4, 4, 4],
            &[0, 7, 2, 7],
            &[1, 30, 2],
        ];
        for sizes in lists {
            for room in 0..45 {
                assert_eq!(shares(sizes, room), naive(sizes, room), "{sizes:?} {room}");
            }
        }
    }
}
