//! Sorting. Every type that the library sorts is another copy of its sort, of 3 to 5 kB of wasm; here all things are sorted by
//! their places, which are of one type.

use std::mem;

/// What is sorted by: the first number, then the second.
pub(crate) type Place = (u64, u64);

/// Sorts by place; what has the same place stays in the order it was in.
pub(crate) fn sort_by_place<T>(items: &mut Vec<T>, place: impl Fn(&T) -> Place) {
    let mut order: Vec<(Place, usize)> = items.iter().map(place).zip(0..).collect();
    sort(&mut order);
    let mut before: Vec<Option<T>> = mem::take(items).into_iter().map(Some).collect();
    items.extend(order.into_iter().filter_map(|(_, index)| before[index].take()));
}

/// Sorts numbers, and keeps one of each.
pub(crate) fn sort_and_dedup(numbers: &mut Vec<u64>) {
    sort_by_place(numbers, |&number| (number, 0));
    numbers.dedup();
}

#[inline(never)]
fn sort(order: &mut [(Place, usize)]) {
    order.sort_unstable();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_stay_in_their_order() {
        let mut items = vec![(3, 'a'), (1, 'b'), (3, 'c'), (2, 'd'), (1, 'e')];
        sort_by_place(&mut items, |&(number, _)| (number, 0));
        assert_eq!(items, [(1, 'b'), (1, 'e'), (2, 'd'), (3, 'a'), (3, 'c')]);
        sort_by_place(&mut items, |&(number, letter)| (0, u64::from(u32::from('z') - u32::from(letter)) + number));
        assert_eq!(items[0], (1, 'e'));
    }

    #[test]
    fn numbers_are_kept_once() {
        let mut numbers = vec![5, u64::MAX, 0, 5, 0];
        sort_and_dedup(&mut numbers);
        assert_eq!(numbers, [0, 5, u64::MAX]);
    }
}
