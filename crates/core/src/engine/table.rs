//! Things with dense numbers (runs, events), in pages, so that removed ones give their memory back.
//!
//! A thing is found by two indexed loads; what is left of a removed one is its place in the page, and of a page whose
//! things were all removed only its head, half a byte each. Numbers are never used again.

use alloc::vec::Vec;
use core::ops::{Index, IndexMut};

const PAGE: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Page<T> {
    places: Vec<Option<T>>,
    live: u32,
}

/// The things. See the [module](self).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table<T> {
    pages: Vec<Page<T>>,
    length: usize,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { pages: Vec::new(), length: 0 }
    }
}

impl<T> Table<T> {
    /// How many there ever were: the number of the next.
    #[inline]
    pub(crate) fn next(&self) -> usize {
        self.length
    }

    pub(crate) fn push(&mut self, thing: T) {
        if self.length.is_multiple_of(PAGE) {
            // Most engines are small; one that has filled a page will fill the next.
            let places = if self.length == 0 { Vec::new() } else { Vec::with_capacity(PAGE) };
            self.pages.push(Page { places, live: 0 });
        }
        let page = self.pages.last_mut().expect("a page was just made");
        page.places.push(Some(thing));
        page.live += 1;
        self.length += 1;
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        self.pages.get(index / PAGE)?.places.get(index % PAGE)?.as_ref()
    }

    /// Removes a thing.
    ///
    /// # Panics
    /// If it does not exist.
    pub(crate) fn remove(&mut self, index: usize) -> T {
        let page = &mut self.pages[index / PAGE];
        let removed = page.places[index % PAGE].take().expect("something was removed that does not exist");
        page.live -= 1;
        // A page that is not full yet still grows.
        if page.live == 0 && page.places.len() == PAGE {
            page.places = Vec::new();
        }
        removed
    }

    /// All that exist, with their numbers, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> + Clone {
        self.pages.iter().enumerate().flat_map(|(page, things)| {
            let numbered = things.places.iter().enumerate();
            numbered.filter_map(move |(place, thing)| thing.as_ref().map(|thing| ((page * PAGE + place) as u32, thing)))
        })
    }
}

impl<T> Index<usize> for Table<T> {
    type Output = T;

    #[inline]
    fn index(&self, index: usize) -> &T {
        let thing = self.pages[index / PAGE].places[index % PAGE].as_ref();
        thing.expect("something was asked for that was removed")
    }
}

impl<T> IndexMut<usize> for Table<T> {
    #[inline]
    fn index_mut(&mut self, index: usize) -> &mut T {
        let thing = self.pages[index / PAGE].places[index % PAGE].as_mut();
        thing.expect("something was asked for that was removed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removed_things_leave_their_number_and_give_their_memory_back() {
        let mut table = Table::default();
        (0..200u32).for_each(|thing| table.push(thing));
        (0..150).for_each(|index| assert_eq!(table.remove(index), index as u32));
        assert_eq!((table.get(149), table.get(150), table.next()), (None, Some(&150), 200));
        assert_eq!(table.pages.iter().map(|page| page.places.capacity()).filter(|&places| places == 0).count(), 2);
        table.push(200);
        assert_eq!(table.iter().map(|(index, &thing)| (index, thing)).last(), Some((200, 200)));
        assert_eq!(table.iter().count(), 51);
    }
}
