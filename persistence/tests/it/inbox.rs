//! Notices that wait: for their time, and for people.

use std::time::Duration;

use taquilla_persistence::inbox::{Inbox, Notice, NoticeKind};

use crate::box_office::BoxOffice;

fn notice(id: &str, kind: NoticeKind) -> Notice {
    Notice {
        provider: "simulated".into(),
        id: id.into(),
        kind,
        attempt: None,
        reference: None,
        money: None,
    }
}

#[tokio::test]
async fn a_notice_that_could_not_be_settled_is_looked_into_again_when_its_pause_is_over() {
    let office = BoxOffice::open("inbox_put_off").await;
    let inbox = Inbox::new(office.database.clone());
    let [one, two] = ["one", "two"].map(|id| notice(id, NoticeKind::ChargedBack));
    for notice in [&one, &two] {
        assert!(inbox.store(notice, b"{}").await.expect("rows"));
    }
    let left = async || {
        let found = inbox.unsettled(None, 9).await.expect("rows");
        found.into_iter().map(|it| (it.notice.id, it.is_new)).collect::<Vec<_>>()
    };
    assert_eq!(left().await, [("one".into(), true), ("two".into(), true)]);
    let put_off = [(&one, Duration::from_secs(3_600)), (&two, Duration::ZERO)];
    inbox.put_off(&put_off).await.expect("rows");
    assert_eq!(left().await, [("two".into(), false)]);
    let again = "UPDATE provider_notices SET again_at = again_at - interval '1 hour'";
    office.call(again, &[]).await;
    assert_eq!(left().await, [("one".into(), false), ("two".into(), false)]);
    inbox.settle(&[&one, &two]).await.expect("rows");
    assert_eq!(left().await, []);
}

#[tokio::test]
async fn what_nobody_can_read_is_in_no_sweep() {
    let office = BoxOffice::open("inbox_unreadable").await;
    let inbox = Inbox::new(office.database.clone());
    assert!(inbox.store(&notice("what", NoticeKind::Unreadable), b"?").await.expect("rows"));
    assert_eq!(inbox.unsettled(None, 9).await.expect("rows"), []);
    let kept: i64 = office.one("SELECT count(*) FROM provider_notices").await;
    assert_eq!(kept, 1, "it waits for people");
}
