//! Things with dense numbers (runs, events), in pages, so that removed ones give their memory back.
//!
//! A thing is found by two indexed loads; what is left of a removed one is its place in the page, and of a page whose
//! things were all removed only its head, half a byte each. Of the pages before the first thing that exists nothing is
//! left, so that a process whose things come and go needs no more memory the longer it runs. Numbers are never used again.

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
    /// From the one numbered `first_page` on.
    pages: Vec<Page<T>>,
    first_page: usize,
    /// So many of the first pages have nothing left.
    over: usize,
    length: usize,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { pages: Vec::new(), first_page: 0, over: 0, length: 0 }
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
        self.pages.get((index / PAGE).wrapping_sub(self.first_page))?.places.get(index % PAGE)?.as_ref()
    }

    /// Removes a thing.
    ///
    /// # Panics
    /// If it does not exist.
    pub(crate) fn remove(&mut self, index: usize) -> T {
        let place = (index / PAGE).wrapping_sub(self.first_page);
        let page = &mut self.pages[place];
        let removed = page.places[index % PAGE].take().expect("something was removed that does not exist");
        page.live -= 1;
        // A page that is not full yet still grows.
        if page.live == 0 && page.places.len() == PAGE {
            page.places = Vec::new();
            self.drop_first_pages();
        }
        removed
    }

    /// Drops the first pages that have nothing left, once they are half of all: so each is looked at and moved once on average.
    fn drop_first_pages(&mut self) {
        let is_over = |page: &Page<T>| page.places.capacity() == 0;
        while self.pages.get(self.over).is_some_and(is_over) {
            self.over += 1;
        }
        if self.over * 2 >= self.pages.len() {
            self.pages.drain(..self.over);
            self.first_page += self.over;
            self.over = 0;
        }
    }

    /// All that exist, with their numbers, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> + Clone {
        self.pages.iter().enumerate().flat_map(|(page, things)| {
            let numbered = things.places.iter().enumerate();
            let first = (self.first_page + page) * PAGE;
            numbered.filter_map(move |(place, thing)| thing.as_ref().map(|thing| ((first + place) as u32, thing)))
        })
    }
}

impl<T> Index<usize> for Table<T> {
    type Output = T;

    #[inline]
    fn index(&self, index: usize) -> &T {
        let thing = self.pages[(index / PAGE).wrapping_sub(self.first_page)].places[index % PAGE].as_ref();
        thing.expect("something was asked for that was removed")
    }
}

impl<T> IndexMut<usize> for Table<T> {
    #[inline]
    fn index_mut(&mut self, index: usize) -> &mut T {
        let thing = self.pages[(index / PAGE).wrapping_sub(self.first_page)].places[index % PAGE].as_mut();
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
        assert_eq!((table.pages.len(), table.first_page), (2, 2));
        table.push(200);
        assert_eq!(table.iter().map(|(index, &thing)| (index, thing)).last(), Some((200, 200)));
        assert_eq!(table.iter().count(), 51);
    }

    #[test]
    fn things_that_come_and_go_need_no_more_pages_the_more_there_were() {
        let mut table = Table::default();
        // One that stays keeps the heads of the pages behind it, and nothing else, until it goes.
        let stays = 70;
        for thing in 0..100_000u32 {
            table.push(thing);
            let gone = thing as usize;
            if gone >= 100 && gone - 100 != stays {
                assert_eq!(table.remove(gone - 100), thing - 100);
            }
        }
        assert_eq!((table.get(69), table.get(stays), table.get(99_899)), (None, Some(&70), None));
        assert_eq!(table.iter().next(), Some((70, &70)));
        assert_eq!(table.remove(stays), 70);
        assert!(table.pages.len() <= 6, "{} pages", table.pages.len());
        assert_eq!((table.iter().next(), table[99_900], table.next()), (Some((99_900, &99_900)), 99_900, 100_000));
        (99_900..100_000).for_each(|thing| assert_eq!(table.remove(thing), thing as u32));
        table.push(7);
        assert_eq!(table.iter().collect::<Vec<_>>(), [(100_000, &7)]);
    }
}
