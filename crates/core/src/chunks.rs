//! A list that grows without moving: a `Vec` that doubles asks for all its memory anew each time, and where keys are fresh that was
//! much of the time of a store.

use alloc::vec::Vec;

/// Items of a chunk, as a power of two.
const CHUNK: usize = 9;
const IN_CHUNK: usize = (1 << CHUNK) - 1;

/// The list. All chunks but the last are full.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Chunks<T>(Vec<Vec<T>>);

impl<T> Chunks<T> {
    /// An empty list.
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    /// How many there are.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.0.last().map_or(0, |last| ((self.0.len() - 1) << CHUNK) + last.len())
    }

    /// Puts one at the end.
    #[inline]
    pub(crate) fn push(&mut self, item: T) {
        match self.0.last_mut() {
            // The first grows as it fills: most lists are short.
            Some(last) if last.len() <= IN_CHUNK => last.push(item),
            None | Some(_) => self.begin(item),
        }
    }

    #[cold]
    fn begin(&mut self, item: T) {
        let mut chunk = if self.0.is_empty() { Vec::new() } else { Vec::with_capacity(IN_CHUNK + 1) };
        chunk.push(item);
        self.0.push(chunk);
    }

    /// The one at a place.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> Option<&T> {
        self.0.get(at >> CHUNK)?.get(at & IN_CHUNK)
    }

    /// The same, to be changed.
    #[inline]
    pub(crate) fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        self.0.get_mut(at >> CHUNK)?.get_mut(at & IN_CHUNK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_several_chunks_has_each_at_its_place() {
        let mut list = Chunks::new();
        assert_eq!((list.len(), list.get(0)), (0, None));
        for item in 0..1_500_usize {
            list.push(item);
            assert_eq!(list.len(), item + 1);
        }
        *list.get_mut(600).unwrap() = 7;
        let all: Vec<_> = (0..1_500).map(|at| if at == 600 { 7 } else { at }).collect();
        assert_eq!((0..2_000).map_while(|at| list.get(at).copied()).collect::<Vec<_>>(), all);
    }
}
