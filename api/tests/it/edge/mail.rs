//! Mail about orders, over a real SMTP connection: once each, whoever is away meanwhile.

mod sink;

use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use taquilla_api::auth::{Grant, mint};
use taquilla_api::mail::{Mail, MailSettings, Pacing, Post};
use taquilla_engine::buyer::BuyerId;
use taquilla_engine::id::{OrderId, RefundId};
use taquilla_engine::money::{Currency, Money};
use taquilla_engine::payment::Refunds;
use taquilla_engine::payment::memory::MemoryProvider;
use taquilla_persistence::database::Database;
use taquilla_persistence::mail::{Contacts, OrderMail};
use taquilla_persistence::pool::Pool;
use taquilla_persistence::private_postgres::scratch;
use taquilla_persistence::refunds::PostgresRefunds;
use taquilla_persistence::settings::DatabaseSettings;
use tokio_postgres::Client;

use self::sink::{Mood, Sink};
use super::box_office::{BoxOffice, event_form};

/// An edge that keeps addresses, and its database.
struct Office {
    office: BoxOffice,
    settings: DatabaseSettings,
    event: String,
    client: Client,
}

impl Office {
    async fn open(name: &str) -> Self {
        let settings = scratch::shared().await.migrated_database(name).await.expect("a database");
        let mut office =
            BoxOffice::over(settings.clone(), Arc::new(MemoryProvider::default())).await;
        office.app.contacts = Some(Contacts::new(database(&settings)));
        let event = office.create_event(&event_form()).await;
        let (client, connection) =
            tokio_postgres::connect(settings.url.expose_secret(), tokio_postgres::NoTls)
                .await
                .expect("the database");
        tokio::spawn(connection);
        Self { office, settings, event, client }
    }

    /// As a start of the server does.
    fn start_mail(&self, sink: &Sink) -> Mail {
        let settings = MailSettings {
            smtp_url: format!("smtp://{}", sink.address).into(),
            from: "Box office <tickets@example.com>".parse().expect("a mailbox"),
            pacing: Pacing {
                look: Duration::from_millis(20),
                first_pause: Duration::from_millis(40),
                patience: Duration::from_secs(5),
                refusals_max: 3,
                ..Pacing::default()
            },
        };
        let rows = OrderMail::new(database(&self.settings));
        Mail::start(Post::new(&self.office.app, rows, settings)).expect("a good URL")
    }

    fn token(&self, buyer: &str, email: &str) -> String {
        let lifetime = Duration::from_secs(600);
        let email = Some(email.into());
        let grant = Grant { subject: buyer.into(), scope: String::new(), lifetime, email };
        let now = self.office.app.clock.now();
        mint(&self.office.tokens, &grant, now).expect("a token")
    }

    /// Two free places for this buyer, ordered with a token that names this address.
    async fn buy(&self, buyer: &str, email: &str) -> Value {
        let body =
            json!({"event_id": self.event, "general": [{"section": "FLOOR", "quantity": 2}]});
        let call = |path| self.office.anyone(Method::POST, path).bearer(&self.token(buyer, email));
        let hold = call("/holds").key("k").json(&body).send().await.ok(201);
        let body = json!({"hold_id": hold["hold_id"]});
        call("/orders").key("k").json(&body).send().await.ok(201)
    }

    /// Mails by their outcome; none: they wait.
    async fn mails(&self) -> Vec<Option<i16>> {
        let rows = self.client.query("SELECT outcome FROM order_mails ORDER BY 1", &[]).await;
        rows.expect("rows").iter().map(|row| row.get(0)).collect()
    }

    async fn until_mails_are(&self, expected: &[Option<i16>]) {
        let seen = async {
            let mut look = tokio::time::interval(LOOK);
            while self.mails().await != expected {
                look.tick().await;
            }
        };
        if tokio::time::timeout(Duration::from_secs(20), seen).await.is_err() {
            let errors = "SELECT coalesce(string_agg(last_error, '; '), '') FROM order_mails";
            let row = self.client.query_one(errors, &[]).await.expect("a text");
            panic!("{:?} are not {expected:?}: {}", self.mails().await, row.get::<_, String>(0));
        }
    }
}

fn database(settings: &DatabaseSettings) -> Database {
    Database::new(Pool::new(settings).expect("a good URL"), settings)
}

/// How often rows are looked at for what is to come.
const LOOK: Duration = Duration::from_millis(20);

const SENT: Option<i16> = Some(0);
const NOBODY: Option<i16> = Some(1);
const NOTHING: Option<i16> = Some(2);
const GIVEN_UP: Option<i16> = Some(3);

#[tokio::test]
async fn a_buyer_with_an_address_gets_the_tickets_once_and_over_a_restart() {
    let office = Office::open("mail_once").await;
    let mut sink = Sink::start(&[Mood::Takes]).await;
    let order = office.buy("ana", "ana@example.org").await;
    let mail = office.start_mail(&sink);
    office.until_mails_are(&[SENT]).await;
    let received = sink.next().await;
    assert_eq!(received.to, "ana@example.org");
    assert_eq!(received.header("Subject"), "Your tickets: Noche");
    assert_eq!(received.header("From"), "\"Box office\" <tickets@example.com>");
    let id = received.header("Message-ID");
    let order_id = order["order_id"].as_str().expect("an id");
    assert!(id.starts_with(&format!("<{order_id}.")) && id.ends_with("@example.com>"), "{id}");
    for part in ["Noche", "Teatro, Sevilla", "- FLOOR", order_id, "application/pdf", "JVBERi0x"] {
        assert!(received.text.contains(part), "{part} in {}", received.text);
    }
    office.until_mails_are(&[SENT]).await;
    mail.stop().await;

    // Whatever is read or looked at again, another order is the next mail.
    let mail = office.start_mail(&sink);
    office.buy("eva", "eva@example.org").await;
    assert_eq!(sink.next().await.to, "eva@example.org");
    office.until_mails_are(&[SENT, SENT]).await;
    assert!(sink.unasked().is_none());
    mail.stop().await;
}

#[tokio::test]
async fn a_server_that_is_away_delays_mail_and_nothing_else() {
    let office = Office::open("mail_away").await;
    let sink = Sink::start(&[Mood::Takes]).await;
    let mail = office.start_mail(&sink);
    let address = sink.address;
    drop(sink);
    for buyer in ["ana", "eva"] {
        // The sale does not notice.
        let order = office.buy(buyer, &format!("{buyer}@example.org")).await;
        assert_eq!(order["status"], "captured");
    }
    let waits = async {
        let mut look = tokio::time::interval(LOOK);
        loop {
            look.tick().await;
            let tried = "SELECT count(*) FROM order_mails WHERE last_error IS NOT NULL";
            let row = office.client.query_one(tried, &[]).await.expect("a count");
            if row.get::<_, i64>(0) == 2 {
                return;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), waits).await.expect("both are tried");
    assert_eq!(office.mails().await, [None, None]);
    let refusals = "SELECT sum(refusals)::bigint FROM order_mails";
    let row = office.client.query_one(refusals, &[]).await.expect("a sum");
    assert_eq!(row.get::<_, i64>(0), 0, "nobody has refused anything: nothing is given up");

    let mut sink = Sink::at(address, &[Mood::Takes]).await;
    let mut reached = [sink.next().await.to, sink.next().await.to];
    reached.sort();
    assert_eq!(reached, ["ana@example.org", "eva@example.org"]);
    office.until_mails_are(&[SENT, SENT]).await;
    mail.stop().await;
}

#[tokio::test]
async fn a_mail_of_which_nobody_knows_whether_it_was_taken_comes_again_under_its_name() {
    let office = Office::open("mail_twice").await;
    let mut sink = Sink::start(&[Mood::TakesWithoutAWord, Mood::Takes]).await;
    let mail = office.start_mail(&sink);
    office.buy("ana", "ana@example.org").await;
    let (first, second) = (sink.next().await, sink.next().await);
    assert_eq!(first.header("Message-ID"), second.header("Message-ID"));
    office.until_mails_are(&[SENT]).await;
    mail.stop().await;
}

#[tokio::test]
async fn a_mail_that_is_deferred_is_tried_again_and_one_that_is_refused_is_given_up_at_last() {
    let office = Office::open("mail_refused").await;
    let mut sink = Sink::start(&[Mood::Defers, Mood::Refuses, Mood::Takes]).await;
    let mail = office.start_mail(&sink);
    office.buy("ana", "ana@example.org").await;
    assert_eq!(sink.next().await.to, "ana@example.org");
    office.until_mails_are(&[SENT]).await;

    *sink.moods.lock() = vec![Mood::Refuses];
    office.buy("eva", "eva@example.org").await;
    office.until_mails_are(&[SENT, GIVEN_UP]).await;
    let why = "SELECT last_error, refusals FROM order_mails WHERE outcome = 3";
    let row = office.client.query_one(why, &[]).await.expect("the mail");
    assert!(row.get::<_, String>(0).contains("nobody of this name"), "{row:?}");

    *sink.moods.lock() = vec![Mood::Takes];
    office.buy("ida", "ida@example.org").await;
    assert_eq!(sink.next().await.to, "ida@example.org", "others are not held up");
    mail.stop().await;
}

#[tokio::test]
async fn nobody_is_written_to_without_a_verified_address_or_about_void_tickets() {
    let office = Office::open("mail_nobody").await;
    let mut sink = Sink::start(&[Mood::Takes]).await;
    // By a token that names none.
    let places = office.office.buy_places("ana", &office.event, 1).await;
    assert_eq!(places["status"], "captured");
    let void = office.buy("eva", "eva@example.org").await;
    office.client.execute("UPDATE tickets SET status = 1", &[]).await.expect("rows of tickets");
    assert_eq!(void["status"], "captured");
    let mail = office.start_mail(&sink);
    office.until_mails_are(&[NOBODY, NOTHING]).await;
    assert!(sink.unasked().is_none());
    mail.stop().await;
}

#[tokio::test]
async fn the_latest_address_counts_and_several_processes_send_one_mail() {
    let office = Office::open("mail_several").await;
    let mut sink = Sink::start(&[Mood::Takes]).await;
    office.buy("ana", "old@example.org").await;
    // The same request again, by a newer token.
    office.buy_again("ana", "new@example.org").await;
    for buyer in ["b1", "b2", "b3"] {
        office.buy(buyer, &format!("{buyer}@example.org")).await;
    }
    let mails = [office.start_mail(&sink), office.start_mail(&sink), office.start_mail(&sink)];
    let mut reached = Vec::new();
    for _ in 0..4 {
        reached.push(sink.next().await.to);
    }
    reached.sort();
    assert_eq!(reached, ["b1@example.org", "b2@example.org", "b3@example.org", "new@example.org"]);
    office.until_mails_are(&[SENT; 4]).await;
    assert!(sink.unasked().is_none());
    for mail in &mails {
        mail.stop().await;
    }
}

#[tokio::test]
async fn a_buyer_is_told_once_of_money_that_went_back_and_why() {
    let office = Office::open("mail_money_back").await;
    let order = office.office.sold("ana", &office.event, &["A-1-2", "B-1-1"]).await;
    let contacts = office.office.app.contacts.as_ref().expect("addresses are kept");
    let ana = BuyerId::parse("ana").expect("a buyer");
    contacts.keep(&ana, "ana@example.org").await.expect("kept");
    let tickets = office.office.tickets("ana", &order["order_id"]).await;
    let gold = tickets.iter().find(|it| it["seat"] == "A-1-2").expect("a ticket");
    let body = json!({"tickets": [gold["ticket_id"]], "reason": "rain"});
    let refund = office.office.refund("k", &order["order_id"], &body).send().await.ok(202);
    let refund = refund["refund_id"].as_str().expect("an id").parse().expect("a UUID");
    let refund = RefundId::parse(refund).expect("a refund");
    let refunds = PostgresRefunds::new(database(&office.settings));
    let paid = Money { amount: 9_583, currency: Currency::parse("EUR").expect("euros") };
    refunds.settle(refund, 0, paid).await.expect("the provider has paid it");

    let mut sink = Sink::start(&[Mood::Takes]).await;
    let mail = office.start_mail(&sink);
    office.until_mails_are(&[SENT, SENT]).await;
    let received = [sink.next().await, sink.next().await];
    let of = |subject| received.iter().find(|mail| mail.header("Subject") == subject);
    of("Your tickets: Noche").expect("a mail with the ticket that is left");
    let told = of("Your money back: Noche").expect("a mail about the other");
    assert_eq!(told.to, "ana@example.org");
    let order_id = order["order_id"].as_str().expect("an id");
    assert!(told.header("Message-ID").starts_with(&format!("<{order_id}.money.")), "{}", told.text);
    for part in ["95.83 EUR went back", "Tickets of yours came back", "One ticket of", order_id] {
        assert!(told.text.contains(part), "{part} in {}", told.text);
    }
    refunds.settle(refund, 0, paid).await.expect("told again");
    office.until_mails_are(&[SENT, SENT]).await;
    assert!(sink.unasked().is_none());
    mail.stop().await;

    // Whoever is told of it is told what is so.
    let order = OrderId::parse(order_id.parse().expect("a UUID")).expect("an order");
    let come_back = async || {
        let paid = refunds.of_order(order).await.expect("rows").paid;
        assert!(refunds.failed(&paid[0], Duration::ZERO).await.expect("rows"));
    };
    come_back().await;
    refunds.settle(refund, 1, paid).await.expect("paid anew");
    come_back().await;
    let mail = office.start_mail(&sink);
    office.until_mails_are(&[SENT, SENT, NOTHING]).await;
    refunds.settle(refund, 2, paid).await.expect("paid once more");
    office.until_mails_are(&[SENT, SENT, SENT, NOTHING]).await;
    let told = sink.next().await.text;
    for part in ["sent once more", "95.83 EUR went back"] {
        assert!(told.contains(part), "{part} in {told}");
    }
    assert!(sink.unasked().is_none());
    mail.stop().await;
}

impl Office {
    async fn buy_again(&self, buyer: &str, email: &str) {
        let body =
            json!({"event_id": self.event, "general": [{"section": "FLOOR", "quantity": 2}]});
        let call = |path| self.office.anyone(Method::POST, path).bearer(&self.token(buyer, email));
        let hold = call("/holds").key("k").json(&body).send().await.ok(201);
        let body = json!({"hold_id": hold["hold_id"]});
        assert!(call("/orders").key("k").json(&body).send().await.is_replay());
    }
}
