//! The stories, in the order in which they build on each other.

use twiceproof_sim::scenario::{Action, Fault, FaultKind, Operation};
use twiceproof_sim::strategy::{ARTICLE_ROWS, RetryScope, SentKey};
use twiceproof_sim::table::{TableParams, theory::Theory};

use super::{At, Bet, Caption, Entry, NowYou};
use crate::compare::behind::first_two_emails;
use crate::edit::Edit;
use crate::story::{AttemptName, Kind, Story};

/// All of them.
pub const ALL: [Entry; 12] = [
    Entry {
        name: "lost-reply",
        title: "A reply gets lost",
        about: "The call went well, and the worker cannot know.",
        make: |scenario| {
            scenario.faults = vec![lost(1, 1)];
        },
        captions: &[
            at(
                At::Start,
                "Ana signs up: one job of three steps. Every call has two sides, what the worker saw and what the provider did.",
            ),
            at(
                At::Nth(1, Kind::Replied),
                "The user is saved. The work was done and the reply came back, so both sides agree.",
            ),
            at(At::Nth(1, Kind::Lost), "The email went out. The reply did not come back."),
            at(
                At::Nth(1, Kind::Waiting),
                "The worker cannot tell a lost reply from a failure. It waits, to try again.",
            ),
            at(
                At::Nth(1, Kind::DoneAgain),
                "The provider is asked once more and has nothing to know the request by. It sends a second email.",
            ),
            at(
                At::End,
                "No call failed, and Ana has two emails. A retry promises at least once, and that is what she got.",
            ),
        ],
        bet: Bet {
            at: 2,
            covers_table: false,
            question: "How many emails will Ana get?",
            choices: EMAILS,
            right: emails_of_ana,
        },
        now_you: NowYou {
            text: "Send a key with the call, and lose the same reply again.",
            button: "Send the same key",
            edit: || Edit::Key(SentKey::Same),
        },
    },
    Entry {
        name: "same-twice",
        title: "The same sign-up, twice",
        about: "Two jobs with numbers of their own, and one person. What should a key name?",
        make: |scenario| {
            scenario.strategy.skip_finished = true;
            scenario.operations = vec![add(0, 0), add(2, 0), add(4, 1)];
        },
        captions: &[
            at(
                At::Start,
                "Ana presses the button twice, Ben once: three jobs. Our store keeps each result under the step's name and the user.",
            ),
            at(At::Nth(1, Kind::Replied), "Job 1 has saved Ana, and the store notes it under save-user:user_1001."),
            at(
                At::Nth(3, Kind::Replied),
                "Job 1 is done, and its three results are saved. Job 2 is the same sign-up under another number.",
            ),
            at(
                At::Nth(1, Kind::Skipped),
                "Job 2 asks for the same key. The result is there, so the step is skipped without a call.",
            ),
            at(At::Nth(3, Kind::Skipped), "All three steps are skipped: a second job, and no second email."),
            at(
                At::End,
                "Ben's keys are others, so he got his own email. A key names the action; the number of the job does not.",
            ),
        ],
        bet: Bet {
            at: 2,
            covers_table: false,
            question: "What will job 2 do?",
            choices: &["Send a second email", "Nothing", "Fail"],
            right: |story| if story.counts.total(Kind::Skipped) == 3 { 1 } else { 0 },
        },
        now_you: NowYou {
            text: "Let the store look away, and see what the second click does.",
            button: "Turn the store off",
            edit: || Edit::SkipFinished(false),
        },
    },
    Entry {
        name: "both-at-once",
        title: "Both at the same moment",
        about: "A saved result cannot help before it is saved. What can?",
        make: |scenario| {
            scenario.strategy.skip_finished = true;
            scenario.workers = 2;
            scenario.operations = vec![add(0, 0), add(0, 0)];
        },
        captions: &[
            at(
                At::Start,
                "Two workers, and the same sign-up twice in one instant. Nothing is saved yet that the second could find.",
            ),
            at(
                At::Nth(1, Kind::Joined),
                "The key is taken and its work under way, so the second job joins that call and makes none of its own.",
            ),
            at(At::Nth(1, Kind::Replied), "One reply, and both jobs have the result."),
            at(At::Nth(2, Kind::Joined), "The same again for the email: one call, two jobs that wait for it."),
            at(
                At::End,
                "One email. A saved result guards what is finished; a shared call guards what is still under way.",
            ),
        ],
        bet: Bet {
            at: 0,
            covers_table: false,
            question: "What will the second job do?",
            choices: &["Make its own calls", "Share the first one's", "Skip the steps"],
            right: |story| if story.counts.total(Kind::Joined) > 0 { 1 } else { 0 },
        },
        now_you: NowYou {
            text: "Lose the reply to the call that both wait for: both hear the same error, and each tries again for itself.",
            button: "Lose that reply",
            edit: || Edit::Fate(AttemptName { job: 1, step: 2, attempt: 1 }, Some(FaultKind::LoseReply)),
        },
    },
    Entry {
        name: "store-still-doubles",
        title: "A store of our own",
        about: "It saves what came back. What does it know of a reply that got lost?",
        make: |scenario| {
            scenario.strategy.skip_finished = true;
            scenario.faults = vec![lost(1, 1)];
            scenario.operations = vec![add(0, 0), add(2, 0)];
        },
        captions: &[
            at(At::Start, "Our store is on, Ana signs up twice, and the reply to her first email will be lost."),
            at(At::Nth(1, Kind::Lost), "The provider sent the email. Its reply will never arrive."),
            at(
                At::Nth(1, Kind::Waiting),
                "The call ended with a timeout. A store can save only what came back, so it saves nothing.",
            ),
            at(At::Nth(1, Kind::DoneAgain), "The next try finds no result and calls again: the second email."),
            at(
                At::Nth(1, Kind::Skipped),
                "The second sign-up is another matter. Now there are results, and nothing is sent.",
            ),
            at(
                At::End,
                "The store stopped the repeated request. The repeated effect happened at the provider, where it could not look.",
            ),
        ],
        bet: Bet {
            at: 1,
            covers_table: false,
            question: "Does our store help here?",
            choices: &["Yes, one email", "No, two emails"],
            right: |story| usize::from(emails_of_ana(story) > 0),
        },
        now_you: NowYou {
            text: "Give the provider something to know the request by.",
            button: "Send the same key",
            edit: || Edit::Key(SentKey::Same),
        },
    },
    Entry {
        name: "provider-key",
        title: "Send the key to the provider",
        about: "The same lost reply, and a key that goes along with the call.",
        make: |scenario| {
            scenario.strategy.key = SentKey::Same;
            scenario.faults = vec![lost(1, 1)];
        },
        captions: &[
            at(
                At::Start,
                "The same lost reply, but now the call carries a key, and the provider writes down which keys it has served.",
            ),
            at(At::Nth(1, Kind::Lost), "The email is out, the key is written down, the reply is lost."),
            at(At::Nth(1, Kind::Waiting), "To the worker nothing has changed. It will try again, with the same key."),
            at(
                At::Nth(1, Kind::KnewKey),
                "The provider knows this key. It sends nothing, and answers as it did the first time.",
            ),
            at(
                At::End,
                "One email. The key has to reach whoever performs the effect, because only there is it known what was done.",
            ),
        ],
        bet: Bet {
            at: 1,
            covers_table: false,
            question: "How many emails now?",
            choices: EMAILS,
            right: emails_of_ana,
        },
        now_you: NowYou {
            text: "A key is worth what its reader remembers.",
            button: "Let the provider forget",
            edit: || Edit::ProviderRemembers(false),
        },
    },
    Entry {
        name: "new-key",
        title: "A fresh key every try",
        about: "Every call carries a key, and each time another one.",
        make: |scenario| {
            scenario.strategy.key = SentKey::NewEachCall;
            scenario.faults = vec![lost(1, 1)];
        },
        captions: &[
            at(At::Start, "This worker sends a key as well, but makes up a new one for every call."),
            at(At::Nth(1, Kind::Lost), "The email went out under the first key. Its reply is lost."),
            at(
                At::Nth(1, Kind::DoneAgain),
                "The next try brings a key the provider has never seen, so it does its duty.",
            ),
            at(
                At::End,
                "Two emails, as without a key: the first two rows of the table are alike. Make a key once per action and keep it.",
            ),
        ],
        bet: Bet {
            at: 1,
            covers_table: false,
            question: "What is this as good as?",
            choices: &["One key for all tries", "No key at all"],
            right: |story| usize::from(emails_of_ana(story) > 0),
        },
        now_you: NowYou { text: "One word of difference.", button: "Keep the key", edit: || Edit::Key(SentKey::Same) },
    },
    Entry {
        name: "whole-job",
        title: "Start the whole job over",
        about: "The email has a key, the other steps have none, and one failure starts all of them over.",
        make: |scenario| {
            scenario.strategy.key = SentKey::Same;
            scenario.strategy.retry = RetryScope::WholeJob;
            scenario.faults = vec![lost(1, 1)];
        },
        captions: &[
            at(
                At::Start,
                "Here one failure starts the whole job over. The email carries a key, the other steps carry none.",
            ),
            at(At::Nth(1, Kind::Lost), "The reply to the email is lost: the second of three steps."),
            at(At::Nth(1, Kind::Waiting), "The job counts as failed. It waits, and begins again at its first step."),
            at(
                At::Nth(1, Kind::DoneAgain),
                "The user is saved a second time. Nobody told the database that it had been asked before.",
            ),
            at(At::Nth(1, Kind::KnewKey), "The email is asked for again too, and its key is known: nothing is sent."),
            at(
                At::End,
                "One email, and one step done twice. In the table below, a million such jobs repeat hundreds of thousands of steps.",
            ),
        ],
        bet: Bet {
            at: 1,
            covers_table: false,
            question: "Which work is done twice?",
            choices: &["The email", "Saving the user", "Both"],
            right: |story| match (emails_of_ana(story) > 0, story.counts.total(Kind::DoneAgain)) {
                (true, 1) => 0,
                (false, 1) => 1,
                _ => 2,
            },
        },
        now_you: NowYou {
            text: "Let a second pass skip what the first one finished.",
            button: "Turn the store on",
            edit: || Edit::SkipFinished(true),
        },
    },
    Entry {
        name: "skip-finished",
        title: "Skip what is finished",
        about: "Nothing is done twice, and all steps share the attempts.",
        make: |scenario| {
            scenario.strategy.key = SentKey::Same;
            scenario.strategy.retry = RetryScope::WholeJob;
            scenario.strategy.skip_finished = true;
            scenario.faults = vec![fails(1, 1), fails(2, 1), fails(3, 1)];
        },
        captions: &[
            at(
                At::Start,
                "The whole job starts over, and our store skips what is finished. Each of the three steps will fail once.",
            ),
            at(At::Nth(1, Kind::Failed), "The first step fails: one of three attempts is used."),
            at(At::Nth(2, Kind::Failed), "Second pass. The first step goes well, the second fails: two attempts used."),
            at(At::Nth(1, Kind::Skipped), "Third pass. What is finished is skipped, so nothing is done twice."),
            at(At::Nth(3, Kind::Failed), "The third step fails for the first time, and there is no attempt left."),
            at(
                At::End,
                "Given up after three single faults. Of a million jobs 250 end so; with attempts for each step, 11.",
            ),
        ],
        bet: Bet {
            at: 0,
            covers_table: false,
            question: "Three attempts, three single faults. Does the job get through?",
            choices: &["Yes", "No"],
            right: |story| usize::from(story.counts.total(Kind::GaveUp) > 0),
        },
        now_you: NowYou {
            text: "The same three faults, with attempts for each step.",
            button: "Retry each step",
            edit: || Edit::Retry(RetryScope::EachStep),
        },
    },
    Entry {
        name: "forgotten-too-soon",
        title: "How long to remember",
        about: "A store keeps a key for a while. How long is long enough?",
        make: |scenario| {
            scenario.strategy.skip_finished = true;
            scenario.key_ttl_ms = Some(1_000);
            scenario.operations = vec![add(0, 0), add(2_000, 0)];
        },
        captions: &[
            at(
                At::Start,
                "Our store forgets a key one second after its work is finished. Ana's second click comes after two.",
            ),
            at(At::Nth(3, Kind::Replied), "Job 1 is done. For each of its keys the second has begun to run."),
            at(At::Nth(1, Kind::Expired), "The key is forgotten. To the store, this is a sign-up it has never seen."),
            at(At::Nth(1, Kind::DoneAgain), "So the user is saved again, and the email will follow."),
            at(
                At::End,
                "Two emails. Count every retry, every queue and every second click, and let the window outlive the last of them.",
            ),
        ],
        bet: Bet {
            at: 1,
            covers_table: false,
            question: "What will the second click find?",
            choices: &["Saved results", "Nothing"],
            right: |story| usize::from(story.counts.total(Kind::Expired) > 0),
        },
        now_you: NowYou {
            text: "Two seconds between the clicks, and three to remember.",
            button: "Remember for 3 s",
            edit: || Edit::KeyTtl(Some(3_000)),
        },
    },
    Entry {
        name: "other-data",
        title: "The same key, other data",
        about: "Two requests that differ come with one key.",
        make: |scenario| {
            scenario.strategy.skip_finished = true;
            scenario.operations = vec![add(0, 0), Operation { at: 300, action: Action::Add { user: 0, data: 1 } }];
        },
        captions: &[
            at(
                At::Start,
                "Ana signs up, and then again with a corrected address. The key is made of her ID alone, so it is the same key.",
            ),
            at(At::Nth(3, Kind::Replied), "The first sign-up is done, and its results are saved."),
            at(
                At::Nth(1, Kind::Skipped),
                "The second asks with other data and gets the first one's result. Nobody is told.",
            ),
            at(
                At::End,
                "The corrected address went nowhere, and both jobs call it a success. A key used for other work is a mistake to report.",
            ),
        ],
        bet: Bet {
            at: 1,
            covers_table: false,
            question: "What does the request with the new address get?",
            choices: &["Its own result", "The first result", "An error"],
            right: |story| match (story.counts.total(Kind::Conflict), story.counts.total(Kind::Skipped)) {
                (0, 0) => 0,
                (0, _) => 1,
                _ => 2,
            },
        },
        now_you: NowYou {
            text: "Let the store compare what it is asked with what it was asked first.",
            button: "Compare the data",
            edit: || Edit::StoreCompares(true),
        },
    },
    Entry {
        name: "restart",
        title: "Restart",
        about: "A store in memory, and a process that stops.",
        make: |scenario| {
            scenario.strategy.skip_finished = true;
            scenario.operations = vec![add(0, 0), Operation { at: 400, action: Action::Restart }, add(600, 0)];
        },
        captions: &[
            at(
                At::Start,
                "Our store lives in the memory of one process. Between Ana's two clicks that process will be restarted.",
            ),
            at(At::Nth(3, Kind::Replied), "Job 1 is done, and its results are saved: in memory."),
            at(At::Nth(1, Kind::Restart), "The process stops and starts again."),
            at(At::Nth(1, Kind::DoneAgain), "The second click finds an empty store, so the work is done again."),
            at(
                At::End,
                "Two emails. What must outlive a process belongs in a database, and the key to the provider as well.",
            ),
        ],
        bet: Bet {
            at: 2,
            covers_table: false,
            question: "What survives the restart?",
            choices: &["The saved results", "Nothing of the store"],
            right: |story| usize::from(story.counts.total(Kind::Skipped) == 0),
        },
        now_you: NowYou {
            text: "The provider did not restart. Its memory is another one.",
            button: "Send it the same key",
            edit: || Edit::Key(SentKey::Same),
        },
    },
    Entry {
        name: "a-million",
        title: "A million sign-ups",
        about: "What a story shows once, the table below counts: one call of one sign-up in a million.",
        make: |scenario| {
            if let Some((_, first)) = first_two_emails(0) {
                *scenario = first;
            }
        },
        captions: &[
            at(
                At::Start,
                "Ten steps, no key. One call in 100 fails, one email in 200 loses its reply. This is sign-up 26 of the table's million.",
            ),
            at(
                At::Nth(6, Kind::Replied),
                "Six steps went well. None of the 25 sign-ups before this one sent two emails.",
            ),
            at(At::Nth(1, Kind::Lost), "The seventh step is the email. It went out, and its reply did not come back."),
            at(
                At::Nth(1, Kind::Waiting),
                "The worker tries again, as it should. Without retries almost one sign-up in ten would fail.",
            ),
            at(At::Nth(1, Kind::DoneAgain), "The first second email. How many will there be in a million sign-ups?"),
            at(
                At::End,
                "Row 1 below counts 4,939 of a million; theory expects 4,998. Row 3 counts 0: the same retries, and a key that stays.",
            ),
        ],
        bet: Bet {
            at: 4,
            covers_table: true,
            question: "How many of the million get two emails? The table is covered until you bet.",
            choices: &["About 500", "About 5,000", "About 50,000"],
            right: |_| match two_emails_expected(0) {
                ..1_500.0 => 0,
                1_500.0..15_000.0 => 1,
                _ => 2,
            },
        },
        now_you: NowYou {
            text: "Row 3 is one setting away.",
            button: "Send the same key",
            edit: || Edit::Key(SentKey::Same),
        },
    },
];

/// How many sign-ups with two emails are expected in a row of the article's table.
pub(super) fn two_emails_expected(row: usize) -> f64 {
    let params = TableParams::default();
    Theory::new(&params, ARTICLE_ROWS[row].strategy).map_or(0.0, |theory| theory.two_emails_of(params.jobs).mean)
}

const EMAILS: &[&str] = &["1 email", "2 emails", "3 emails"];

/// The place in [`EMAILS`] of what Ana, the first user, gets.
fn emails_of_ana(story: &Story) -> usize {
    story.people.first().map_or(0, |ana| ana.emails.len().saturating_sub(1))
}

const fn at(at: At, text: &'static str) -> Caption {
    Caption { at, text }
}

fn add(at: u64, user: u32) -> Operation {
    Operation { at, action: Action::Add { user, data: 0 } }
}

/// The email's reply to this attempt is lost.
fn lost(job: u32, attempt: u32) -> Fault {
    Fault { job, step: 2, attempt, kind: FaultKind::LoseReply }
}

/// This attempt of job 1 fails.
fn fails(step: u32, attempt: u32) -> Fault {
    Fault { job: 1, step, attempt, kind: FaultKind::Fail }
}
