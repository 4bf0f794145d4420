//! The auditor audited: a clean history passes, and each planted breach is found by its name.

mod allowed;
mod called_off;
mod history;
mod oracle;
mod planted;
mod planted_money;
mod told;

use std::collections::BTreeSet;

use taquilla_auditor::{Rule, audit, read_recording, write_recording};

#[test]
fn a_clean_history_passes() {
    let report = audit(&history::clean());
    assert!(report.is_ok(), "{report}");
    assert_eq!(report.to_string(), "ok");
}

#[test]
fn each_planted_breach_is_found_by_its_name() {
    for (rule, plant) in planted::ALL.iter().chain(planted_money::ALL) {
        let mut evidence = history::clean();
        plant(&mut evidence);
        let report = audit(&evidence);
        let found = report.findings.iter().any(|finding| finding.rule == *rule);
        assert!(found, "{rule} was planted; found: {report}");
    }
}

#[test]
fn each_breach_in_what_was_called_off_is_found_by_its_name() {
    for (rule, plant) in called_off::ALL {
        let mut evidence = history::clean();
        called_off::call_off(&mut evidence);
        plant(&mut evidence);
        let report = audit(&evidence);
        let found = report.findings.iter().any(|finding| finding.rule == *rule);
        assert!(found, "{rule} was planted; found: {report}");
    }
}

#[test]
fn every_rule_has_a_breach_planted_for_it() {
    let planted = planted::ALL.iter().chain(planted_money::ALL).chain(called_off::ALL);
    let planted: BTreeSet<Rule> = planted.map(|(rule, _)| *rule).collect();
    assert_eq!(planted, Rule::ALL.iter().copied().collect());
}

#[test]
fn what_the_contract_allows_is_no_breach() {
    for (name, change) in allowed::ALL {
        let mut evidence = history::clean();
        change(&mut evidence);
        let report = audit(&evidence);
        assert!(report.is_ok(), "{name}: {report}");
    }
}

#[test]
fn a_recording_survives_its_file() {
    let recorded = history::clean().recorded;
    let mut file = Vec::new();
    write_recording(&recorded, &mut file).expect("memory takes every write");
    assert_eq!(read_recording(&file[..]).expect("what was just written"), recorded);
    read_recording(&b"{}\n"[..]).expect_err("a line that is no record");
}

#[test]
fn rules_have_stable_names() {
    assert_eq!(Rule::SeatOwnedTwice.to_string(), "seat-owned-twice");
}
