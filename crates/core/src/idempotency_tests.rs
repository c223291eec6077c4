use alloc::collections::BTreeMap;

use super::*;

/// A store with its names: what a script's map or the engine's index does.
struct Once {
    store: Store<u32>,
    names: BTreeMap<&'static str, KeyId>,
    runs: u32,
}

impl Once {
    fn new(ttl_ms: u64) -> Self {
        Self { store: Store::new(ttl_ms), names: BTreeMap::new(), runs: 0 }
    }

    fn begin_with(
        &mut self,
        now: u64,
        name: &'static str,
        data: Option<u64>,
        inside: Option<&str>,
    ) -> Result<Begin<u32>, ReentrantKey> {
        let inside = inside.map(|name| self.names[name]);
        let key = *self.names.entry(name).or_insert(self.store.next_key());
        self.runs += 1;
        let names = &mut self.names;
        self.store.begin(now, key, self.runs, data, inside, |gone| names.retain(|_, key| *key != gone))
    }

    fn begin(&mut self, now: u64, name: &'static str) -> Begin<u32> {
        self.begin_with(now, name, None, None).unwrap()
    }

    fn finish(&mut self, now: u64, name: &str) {
        let at = self.store.expires_at(now);
        self.store.finish(self.names[name], at);
    }

    fn fail(&mut self, name: &str) {
        self.store.forget(self.names.remove(name).unwrap());
    }
}

#[test]
fn a01_a02_the_first_call_runs_and_later_ones_take_its_result() {
    let mut once = Once::new(1000);
    assert_eq!(once.begin(0, "k"), Begin::Run);
    once.finish(0, "k");
    assert_eq!(once.begin(1, "k"), Begin::Saved(1));
    assert_eq!(once.begin(999, "k"), Begin::Saved(1));
}

#[test]
fn a28_who_asks_first_and_acts_then_can_race_and_who_begins_cannot() {
    let mut once = Once::new(1000);
    // Two callers ask before either acts: to both the key is free, and both would send.
    let asked = [once.store.look(0, KeyId(0), None), once.store.look(0, KeyId(0), None)];
    assert_eq!(asked, [Look::Free, Look::Free]);
    assert_eq!([once.begin(0, "k"), once.begin(0, "k")], [Begin::Run, Begin::Join(1)], "asking and taking in one");
}

#[test]
fn a03_a_call_during_the_run_joins_it() {
    let mut once = Once::new(1000);
    once.begin(0, "k");
    assert_eq!(once.begin(5, "k"), Begin::Join(1));
    assert_eq!(once.begin(900_000, "k"), Begin::Join(1), "a run is joined however long it takes");
}

#[test]
fn a04_a10_h23_a_failed_run_is_forgotten() {
    let mut once = Once::new(1000);
    once.begin(0, "k");
    assert_eq!(once.begin(1, "k"), Begin::Join(1));
    once.fail("k");
    assert!(once.store.is_empty());
    assert_eq!(once.begin(2, "k"), Begin::Run);
}

#[test]
fn a06_h22_the_window_starts_at_the_finish() {
    let mut once = Once::new(1000);
    once.begin(0, "k");
    assert_eq!(once.begin(3000, "k"), Begin::Join(1));
    once.finish(5000, "k");
    assert_eq!(once.begin(5500, "k"), Begin::Saved(1));
    assert_eq!(once.begin(6000, "k"), Begin::Run);
}

#[test]
fn a07_h18_a_key_is_dead_at_exactly_its_expiry() {
    let mut once = Once::new(1000);
    once.begin(0, "k");
    once.finish(0, "k");
    assert_eq!(once.begin(999, "k"), Begin::Saved(1));
    assert_eq!(once.begin(1000, "k"), Begin::Run);
    once.finish(1000, "k");
    assert_eq!(once.begin(1001, "k"), Begin::Saved(3), "the second result");
}

#[test]
fn a08_h19_expired_keys_do_not_pile_up() {
    let mut store = Store::new(1);
    for n in 0..100_000u32 {
        let key = store.next_key();
        assert_eq!(store.begin(0, key, n, None, None, |_| panic!("nothing has expired")), Ok(Begin::Run));
        store.finish(key, 1);
    }
    assert_eq!(store.len(), 100_000);
    let mut swept = 0;
    let key = store.next_key();
    store.begin(10, key, 0, None, None, |_| swept += 1).unwrap();
    assert_eq!((store.len(), swept), (1, 100_000));
}

#[test]
fn s2_8_sweep_is_bounded_and_leaves_what_lives() {
    let mut store = Store::new(10);
    for n in 0..10u32 {
        let key = store.next_key();
        store.begin(u64::from(n), key, n, None, None, |_| ()).unwrap();
        store.finish(key, u64::from(n) + 10);
    }
    assert_eq!(store.sweep(15, 4, |_| ()), 4);
    assert_eq!(store.sweep(15, 100, |_| ()), 2, "those of 0 to 5 are over at 15");
    assert_eq!(store.len(), 4);
}

#[test]
fn a12_s2_3_data_is_compared_only_when_both_sides_bring_it() {
    let mut once = Once::new(1000);
    once.begin_with(0, "k", Some(1), None).unwrap();
    assert_eq!(once.begin_with(0, "k", Some(2), None), Ok(Begin::Conflict(1)), "also while it runs");
    once.finish(0, "k");
    assert_eq!(once.begin_with(1, "k", Some(1), None), Ok(Begin::Saved(1)));
    assert_eq!(once.begin_with(1, "k", Some(2), None), Ok(Begin::Conflict(1)));
    assert_eq!(once.begin_with(1, "k", None, None), Ok(Begin::Saved(1)), "the article's store does not check");
}

#[test]
fn a_t2_a_reentrant_call_is_an_error() {
    let mut once = Once::new(1000);
    once.begin(0, "a");
    assert!(once.begin_with(0, "a", None, Some("a")).is_err());
    assert_eq!(once.begin_with(0, "b", None, Some("a")), Ok(Begin::Run), "another key is fine");
    assert!(once.begin_with(0, "a", None, Some("b")).is_err(), "b waits for a, which waits for b");
    once.fail("b");
    once.finish(1, "a");
    assert_eq!(once.begin(2, "a"), Begin::Saved(1));
}

#[test]
fn a_t2_two_runs_that_wait_for_each_other_are_found() {
    let mut once = Once::new(1000);
    once.begin(0, "a");
    once.begin(0, "b");
    assert_eq!(once.begin_with(0, "b", None, Some("a")), Ok(Begin::Join(2)));
    assert!(once.begin_with(0, "a", None, Some("b")).is_err());
    once.finish(1, "b");
    assert_eq!(once.begin_with(1, "b", None, Some("a")), Ok(Begin::Saved(2)));
}

#[test]
fn s2_8_keys_are_swept_in_the_order_of_finishing_whichever_were_forgotten() {
    // Of five keys each set that could be forgotten, from all their places: the first, the last, neighbours, all.
    for forgotten in 0..1_u32 << 5 {
        let mut store: Store<()> = Store::new(10);
        for key in 0..5 {
            store.claim(KeyId(key), (), None);
        }
        let finished = [3, 0, 4, 1, 2];
        for (now, key) in (0..).zip(finished) {
            store.finish(KeyId(key), 10 + now);
        }
        let is_forgotten = |key: u32| forgotten & 1 << key != 0;
        (0..5).filter(|&key| is_forgotten(key)).for_each(|key| store.forget(KeyId(key)));
        // A number that was given anew has its place among the last.
        let again = store.next_key();
        store.claim(again, (), None);
        store.finish(again, 15);
        let mut swept = alloc::vec![];
        assert_eq!(store.sweep(14, 9, |key| swept.push(key.0)), 5 - forgotten.count_ones() as usize);
        store.sweep(15, 9, |key| swept.push(key.0));
        let mut expected: alloc::vec::Vec<u32> = finished.into_iter().filter(|&key| !is_forgotten(key)).collect();
        expected.push(again.0);
        assert_eq!(swept, expected, "forgotten: {forgotten:05b}");
        assert_eq!((store.len(), store.next_expired(u64::MAX)), (0, None));
    }
}

#[test]
fn s2_8_a_window_without_end_is_never_swept() {
    let mut once = Once::new(u64::MAX);
    once.begin(0, "k");
    once.finish(0, "k");
    assert_eq!(once.begin(u64::MAX - 1, "k"), Begin::Saved(1));
}

#[test]
fn a13_a_new_store_knows_nothing() {
    let mut once = Once::new(1000);
    once.begin(0, "k");
    once.finish(0, "k");
    once = Once::new(1000);
    assert_eq!(once.begin(1, "k"), Begin::Run);
}

#[test]
#[should_panic(expected = "has an owner")]
fn two_owners_of_one_key_are_a_broken_invariant() {
    let mut store = Store::new(1);
    store.claim(KeyId(0), 1, None);
    store.claim(KeyId(0), 2, None);
}
