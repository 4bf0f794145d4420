//! For each rule of money at least one breach, as small as it can be.

use serde_json::{Value, json};
use taquilla_auditor::{AttemptStatus, Cause, EntryKind, RefundStatus, Rule, TicketStatus};
use uuid::Uuid;

use crate::history::{ANN, EVE, FAY, KIM, attempt_of, entry, order_of, posting, refund, ticket};
use crate::planted::Change;
use crate::told::{KIM_REFUND, Telling, asked, shown};

/// Of the attempts: the first is ann's.
const EVES: usize = 1;
const KIMS: usize = 2;

pub(crate) const ALL: &[(Rule, Change)] = &[
    (Rule::CaptureMissing, |it| {
        it.books.remove(1);
    }),
    (Rule::CaptureMissing, |it| it.books.push(entry(EntryKind::Capture, ANN, 202))),
    (Rule::CaptureUnfounded, |it| it.books.push(entry(EntryKind::Capture, EVE, 102))),
    (Rule::VoidMissing, |it| {
        it.books.pop();
    }),
    (Rule::AuthorisationLeft, |it| {
        it.rows.attempts[1].status = AttemptStatus::Declined;
        it.books.pop();
    }),
    (Rule::AuthorisationLeft, |it| {
        it.books.pop();
    }),
    (Rule::AuthorisedTwice, |it| it.books.push(entry(EntryKind::Authorisation, ANN, 202))),
    (Rule::OrderCapturedTwice, |it| it.books.push(entry(EntryKind::Capture, ANN, 202))),
    (Rule::AmountDiffers, |it| it.books[1].amount = 201),
    (Rule::AmountDiffers, |it| it.books[1].currency = "JPY".into()),
    (Rule::AmountDiffers, |it| it.books[1].order_id = order_of(EVE)),
    (Rule::AmountDiffers, |it| it.rows.orders[0].total = 201),
    (Rule::AmountDiffers, |it| it.rows.attempts[0].reference = Some("another".into())),
    (Rule::MoneyWithoutAttempt, |it| {
        it.books.push(taquilla_auditor::Entry {
            attempt_id: attempt_of(FAY),
            ..entry(EntryKind::Authorisation, FAY, 102)
        });
    }),
    (Rule::SaleUnpaid, |it| it.rows.attempts[0].status = AttemptStatus::Declined),
    (Rule::CaptureUnnoticed, |it| {
        it.rows.attempts[KIMS].status = AttemptStatus::CaptureFailed;
    }),
    (Rule::RefundMissing, |it| {
        it.books.retain(|entry| entry.kind != EntryKind::Refund);
    }),
    (Rule::RefundMissing, |it| {
        it.rows.attempts[EVES].status = AttemptStatus::Refunded;
        it.books.pop();
        it.books.push(entry(EntryKind::Capture, EVE, 102));
    }),
    (Rule::RefundUnfounded, |it| it.books.push(entry(EntryKind::Refund, KIM, 101))),
    (Rule::RefundUnfounded, |it| it.rows.refunds[0].amount = 100),
    (Rule::RefundUnfounded, |it| {
        it.rows.refunds.clear();
    }),
    (Rule::RefundUnfounded, |it| {
        let idempotency_key = format!("{}-refund", attempt_of(ANN));
        let back = entry(EntryKind::Refund, ANN, 202);
        it.books.push(taquilla_auditor::Entry { idempotency_key, ..back });
    }),
    (Rule::RefundAboveCapture, |it| it.books[4].amount = 203),
    (Rule::RefundLost, |it| {
        it.rows.refunds.clear();
    }),
    (Rule::RefundLost, |it| it.recorded[KIM_REFUND].answer["amount"]["amount"] = json!(100)),
    (Rule::RefundAmountWrong, |it| it.rows.refunds[0].amount = 99),
    (Rule::RefundAmountWrong, |it| it.rows.refunds[0].amount = 103),
    (Rule::RefundAmountWrong, |it| it.rows.refunds[0].cause = Cause::Chargeback),
    // Forgiven, though the money was taken.
    (Rule::RefundAmountWrong, |it| it.rows.refunds[0].status = RefundStatus::Nothing),
    (Rule::SaleUnpaid, |it| {
        // All came back, but some of it was paid for.
        it.rows.attempts[KIMS].status = AttemptStatus::Voided;
        it.rows.tickets[2].status = TicketStatus::Void;
        it.rows.refunds[0].tickets.push(ticket(9));
    }),
    (Rule::RefundAmountWrong, |it| {
        it.rows.refunds[0].tickets.push(ticket(9));
        it.rows.tickets[2].status = TicketStatus::Void;
        it.rows.refunds[0].amount = 201;
    }),
    (Rule::ReturnDisagrees, |it| it.rows.tickets[3].status = TicketStatus::Valid),
    (Rule::ReturnDisagrees, |it| {
        it.rows.refunds.clear();
    }),
    (Rule::ReturnDisagrees, |it| {
        let second =
            taquilla_auditor::Refund { id: Uuid::from_u128(1), ..it.rows.refunds[0].clone() };
        it.rows.refunds.push(second);
    }),
    (Rule::ReturnDisagrees, |it| it.rows.refunds[0].order = order_of(ANN)),
    (Rule::SeatDisagrees, |it| {
        it.rows.seats[10].state = taquilla_auditor::SeatState::Sold;
        it.rows.seats[10].hold = Some(crate::history::hold_of(KIM));
    }),
    (Rule::LedgerUnbalanced, |it| it.rows.ledger[0].amount = 201),
    (Rule::LedgerUnbalanced, |it| it.rows.ledger[0].currency = "JPY".into()),
    (Rule::LedgerUnbalanced, |it| {
        it.rows.ledger.pop();
    }),
    (Rule::PostingUnfounded, |it| {
        // Booked twice.
        for (account, amount) in [("provider", 202), ("sales", -202)] {
            it.rows.ledger.push(posting(ANN, "capture", account, amount));
        }
    }),
    (Rule::PostingUnfounded, |it| {
        it.rows.ledger.push(posting(FAY, "capture", "provider", 102));
    }),
    (Rule::PostingUnfounded, |it| {
        for posting in it.rows.ledger.iter_mut().filter(|it| it.name == refund().to_string()) {
            posting.amount *= 2;
        }
    }),
    (Rule::PostingUnfounded, |it| {
        // What was never taken back, or paid, came back.
        for kind in ["chargeback", "refund"] {
            for (account, amount) in [("provider", 50), ("sales", -50)] {
                it.rows.ledger.push(posting(ANN, kind, account, amount));
            }
        }
    }),
    (Rule::PostingMissing, |it| {
        // A refund that is in the books, and that the ledger says has come back.
        let name = refund().to_string();
        let paid: Vec<_> = it.rows.ledger.iter().filter(|it| it.name == name).cloned().collect();
        it.rows.ledger.extend(paid.into_iter().map(|of| taquilla_auditor::Posting {
            name: format!("{name}/failed/1"),
            amount: -of.amount,
            ..of
        }));
    }),
    (Rule::PostingMissing, |it| {
        it.rows.ledger.retain(|it| it.kind != "void");
    }),
    (Rule::PostingMissing, |it| {
        it.rows.ledger.retain(|it| it.name.is_empty());
    }),
    (Rule::PostingMissing, |it| it.books.push(entry(EntryKind::Chargeback, ANN, 202))),
    (Rule::NoticeUnsettled, |it| it.rows.notices[0].is_settled = false),
    (Rule::StatusWentBack, |it| {
        let path = format!("/orders/{}", order_of(KIM));
        let seen = asked("kim", "GET", &path, 15.0, Value::Null);
        it.recorded.push(seen.told(200, shown(KIM, "confirmed", 202)));
    }),
    (Rule::StatusWentBack, |it| {
        let path = format!("/orders/{}", order_of(EVE));
        for (status, seconds) in [("expired", 70.0), ("authorizing", 71.0)] {
            let seen = asked("eve", "GET", &path, seconds, Value::Null);
            it.recorded.push(seen.told(200, shown(EVE, status, 102)));
        }
    }),
    (Rule::SaleLost, |it| {
        let path = format!("/orders/{}", order_of(KIM));
        let seen = asked("kim", "GET", &path, 22.0, Value::Null);
        it.recorded.push(seen.told(200, shown(KIM, "refunded", 202)));
    }),
    (Rule::AnswerUnexpected, |it| {
        let path = format!("/admin/orders/{}/refunds", Uuid::from_u128(1));
        let refused = asked("operator", "POST", &path, 50.0, json!({})).keyed("late");
        let problem = crate::told::problem("refund-not-possible", json!({}));
        it.recorded.push(refused.told(409, problem));
    }),
];
