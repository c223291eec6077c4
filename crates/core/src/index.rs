//! The two kinds of index: numbers in an order, and numbers by name.
//!
//! Every map of this crate's state is one of them, and what it finds stands in a list or a table. A tree of another
//! type would be another copy of its code, of some 8 kB in wasm; a list that is kept sorted would be slow to
//! fill in another order than its own.

use alloc::{collections::BTreeMap, sync::Arc};
use core::ops::Bound;

/// What an [`Order`] is ordered by.
pub type Place = (u64, u64);

/// Numbers in the order of their places.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Order(BTreeMap<Place, u64>);

impl Order {
    /// Puts a number at a place, in place of what was there.
    pub fn insert(&mut self, place: Place, number: u64) {
        self.0.insert(place, number);
    }

    /// Removes what is at a place.
    pub fn remove(&mut self, place: Place) -> Option<u64> {
        self.0.remove(&place)
    }

    /// What is at a place.
    pub fn get(&self, place: Place) -> Option<u64> {
        self.0.get(&place).copied()
    }

    /// Whether something is at a place.
    pub fn contains(&self, place: Place) -> bool {
        self.get(place).is_some()
    }

    /// The first place and what is there.
    #[inline]
    pub fn first(&self) -> Option<(Place, u64)> {
        if self.is_empty() { None } else { self.first_after(Bound::Unbounded) }
    }

    /// The first place that is not before this one, and what is there.
    pub fn first_from(&self, place: Place) -> Option<(Place, u64)> {
        self.first_after(Bound::Included(place))
    }

    fn first_after(&self, from: Bound<Place>) -> Option<(Place, u64)> {
        self.0.range((from, Bound::Unbounded)).next().map(|(&place, &number)| (place, number))
    }

    /// Removes the first place and what is there.
    pub fn pop_first(&mut self) -> Option<(Place, u64)> {
        let (place, number) = self.first()?;
        self.remove(place);
        Some((place, number))
    }

    /// All places that begin with this number, in order: their other number, and what is there.
    pub fn beginning_with(&self, begins: u64) -> impl Iterator<Item = (u64, u64)> + Clone + '_ {
        let place_after = move |&((_, place), _): &(Place, u64)| self.first_from((begins, place.checked_add(1)?));
        core::iter::successors(self.first_from((begins, 0)), place_after)
            .take_while(move |&((first, _), _)| first == begins)
            .map(|((_, second), number)| (second, number))
    }

    /// Removes the places of which this is true.
    pub fn remove_where(&mut self, is_it: &dyn Fn(Place, u64) -> bool) {
        let mut next = self.first();
        while let Some((place, number)) = next {
            if is_it(place, number) {
                self.remove(place);
            }
            next = self.first_after(Bound::Excluded(place));
        }
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes all.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// Numbers by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Names(BTreeMap<Arc<str>, u64>);

impl Names {
    /// The number of a name.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.0.get(name).copied()
    }

    /// Gives a name a number, in place of the one it had.
    pub fn insert(&mut self, name: Arc<str>, number: u64) -> Option<u64> {
        self.0.insert(name, number)
    }

    /// Takes a name's number away.
    pub fn remove(&mut self, name: &str) -> Option<u64> {
        self.0.remove(name)
    }

    /// The number of a name, which is `next` if it had none.
    pub fn number(&mut self, name: &Arc<str>, next: u64) -> u64 {
        match self.get(name) {
            Some(number) => number,
            None => {
                self.insert(name.clone(), next);
                next
            }
        }
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    fn order(places: &[Place]) -> Order {
        let mut order = Order::default();
        places.iter().zip(0..).for_each(|(&place, number)| order.insert(place, number));
        order
    }

    #[test]
    fn an_order_goes_by_place_and_not_by_arrival() {
        let mut order = order(&[(5, 0), (1, 9), (1, 2), (0, u64::MAX), (2, 0)]);
        assert_eq!(order.first_from((1, 3)), Some(((1, 9), 1)));
        assert_eq!(order.beginning_with(1).collect::<Vec<_>>(), [(2, 2), (9, 1)]);
        assert_eq!(order.beginning_with(0).collect::<Vec<_>>(), [(u64::MAX, 3)]);
        assert_eq!(order.beginning_with(3).count(), 0);
        assert_eq!(order.pop_first(), Some(((0, u64::MAX), 3)));
        order.remove_where(&|(first, _), number| first == 1 || number == 4);
        assert_eq!((order.first(), order.len()), (Some(((5, 0), 0)), 1));
    }

    #[test]
    fn a_name_keeps_the_number_it_has() {
        let mut names = Names::default();
        let name: Arc<str> = "a".into();
        assert_eq!((names.number(&name, 7), names.number(&name, 8)), (7, 7));
        assert_eq!((names.remove("a"), names.get("a"), names.len()), (Some(7), None, 0));
    }
}
