//! The table of an attempt's steps, and the page that shows it.

use taquilla_engine::payment::{AttemptStatus, STEPS, StepKind};

#[test]
fn the_money_table_leads_from_every_status_to_an_end() {
    let by_lane = [
        (AttemptStatus::Authorized, AttemptStatus::Confirmed),
        (AttemptStatus::Authorized, AttemptStatus::VoidDue),
    ];
    let steps: Vec<_> = STEPS.iter().map(|(from, _, to)| (*from, *to)).chain(by_lane).collect();
    let reach = |from: AttemptStatus| {
        let mut reached = vec![from];
        let mut at = 0;
        while let Some(here) = reached.get(at).copied() {
            let next = steps.iter().filter(|(from, _)| *from == here).map(|(_, to)| *to);
            let new: Vec<_> = next.filter(|to| !reached.contains(to)).collect();
            reached.extend(new);
            at += 1;
        }
        reached
    };
    for status in AttemptStatus::ALL {
        let reached = reach(status);
        assert!(reached.iter().any(|it| it.is_final()), "{status:?} has no end");
        // What has come to its end stays there unless somebody brings news, and then comes to one.
        assert!(!status.is_final() || reached.iter().any(|it| it.is_final()), "{status:?}");
    }
    let reached = reach(AttemptStatus::Pending);
    for status in AttemptStatus::ALL {
        assert!(reached.contains(&status), "{status:?} is never reached");
    }
}

#[test]
fn the_page_on_payments_shows_the_table_of_steps() {
    let page = include_str!("../../../../docs/payments.md");
    let rows = page.lines().filter_map(|line| {
        let cells: Vec<&str> = line.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        let [_, from, step, to, _] = cells[..] else { return None };
        AttemptStatus::parse(from).map(|from| (from, step.to_owned(), to.to_owned()))
    });
    let word = |kind: &StepKind| {
        let camel = format!("{kind:?}");
        let snake = camel.chars().enumerate().flat_map(|(place, letter)| {
            let gap = (place > 0 && letter.is_uppercase()).then_some('_');
            gap.into_iter().chain(letter.to_lowercase())
        });
        snake.collect::<String>()
    };
    let steps = STEPS.iter().map(|(from, kind, to)| (*from, word(kind), to.code().to_owned()));
    assert_eq!(rows.collect::<Vec<_>>(), steps.collect::<Vec<_>>());
}
