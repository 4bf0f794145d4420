//! Idempotency keys: one key, one request, one result. Needs the recording alone.

use std::collections::HashMap;

use crate::recorded::Recorded;
use crate::report::{Report, Rule};

/// A key's scope, as a client can see it: buyer, method and path, key.
type KeyName<'a> = (&'a str, &'a str, &'a str, &'a str);

pub(crate) fn check(recorded: &[Recorded], report: &mut Report) {
    let mut by_key: HashMap<KeyName<'_>, Vec<&Recorded>> = HashMap::new();
    for record in recorded {
        if let Some(key) = &record.key {
            let name = (&*record.buyer, &*record.method, &*record.path, &**key);
            by_key.entry(name).or_default().push(record);
        }
    }
    for (name, mut uses) in by_key {
        uses.sort_by_key(|record| record.at_end);
        one_request_succeeds(name, &uses, report);
        one_resource(name, &uses, report);
        decided_once(name, &uses, report);
    }
}

fn one_request_succeeds(name: KeyName<'_>, uses: &[&Recorded], report: &mut Report) {
    let mut requests = uses.iter().filter(|it| it.is_success()).map(|it| &it.request);
    let Some(first) = requests.next() else { return };
    if let Some(other) = requests.find(|request| *request != first) {
        report.find(Rule::KeyReuseUnnoticed, format!("{name:?}: {first} and {other}"));
    }
}

fn one_resource(name: KeyName<'_>, uses: &[&Recorded], report: &mut Report) {
    let mut results = uses.iter().filter(|it| it.is_success()).map(|it| (it.status, id(it)));
    let Some(first) = results.next() else { return };
    if let Some(other) = results.find(|result| *result != first) {
        report.find(Rule::ReplayDiffers, format!("{name:?}: {first:?}, then {other:?}"));
    }
}

/// A refused hold took nothing and may be decided anew; every other decided answer stays.
fn decided_once(name: KeyName<'_>, uses: &[&Recorded], report: &mut Report) {
    let may_be_decided_anew = name.2 == "/holds";
    let mut decided: Vec<&Recorded> = Vec::new();
    for record in uses.iter().filter(|it| it.is_success() || it.refusal().is_some()) {
        let same_request = decided.iter().find(|it| it.request == record.request);
        let Some(first) = same_request else {
            decided.push(record);
            continue;
        };
        let turned = first.refusal() != record.refusal();
        let allowed = may_be_decided_anew && first.refusal().is_some();
        if turned && !allowed {
            report.find(
                Rule::AnswerChanged,
                format!(
                    "{name:?}: {:?} {}, then {:?} {}",
                    first.status, first.answer, record.status, record.answer
                ),
            );
        }
        if turned && allowed {
            decided.retain(|it| it.request != record.request);
            decided.push(record);
        }
    }
}

/// The id of what the request makes: answers name other things too.
fn id(record: &Recorded) -> Option<&str> {
    let member = match record.path.as_str() {
        "/holds" => "hold_id",
        "/orders" => "order_id",
        path if path.ends_with("/refunds") => "refund_id",
        _ => "attempt_id",
    };
    record.answer.get(member)?.as_str()
}
