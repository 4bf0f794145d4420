//! Tickets on paper, for who bought them.

mod scanner;

use std::sync::Arc;
use std::time::{Duration, Instant};

use secrecy::ExposeSecret;
use serde_json::{Value, json};
use taquilla_api::tickets::{
    PAGES_MAX, Paper, PaperTicket, SignedTicket, TicketSigner, print, ticket_key_pem,
};
use taquilla_engine::payment::memory::MemoryProvider;
use taquilla_persistence::private_postgres::scratch;
use uuid::Uuid;

use super::box_office::{BoxOffice, event_form};
use super::client::Answer;

impl BoxOffice {
    async fn papers(&self, buyer: &str, order: &Value) -> Answer {
        let order = order["order_id"].as_str().expect("an id");
        self.read(buyer, &format!("/orders/{order}/tickets.pdf")).send().await
    }
}

/// How many pages the file says that it has.
fn pages(pdf: &[u8]) -> usize {
    assert!(pdf.starts_with(b"%PDF-1."), "no PDF");
    let text = String::from_utf8_lossy(pdf);
    assert!(text.trim_end().ends_with("%%EOF"), "the file is cut off");
    text.matches("/Type/Page/").count() + text.matches("/Type /Page\n").count()
}

#[tokio::test]
async fn a_buyer_prints_a_page_for_each_ticket_and_nobody_else_does() {
    let (office, event) = BoxOffice::open("papers").await;
    let order = office.buy_places("ana", &event, 3).await;
    let answer = office.papers("ana", &order).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("application/pdf"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(pages(&answer.bytes), 3);
    assert!(answer.bytes.len() < 200_000, "{} bytes", answer.bytes.len());
    let again = office.papers("ana", &order).await;
    assert!(again.bytes == answer.bytes, "the same tickets make the same bytes");
    office.papers("eva", &order).await.problem(404, "not-found");

    let from = async |from: &str| {
        let order = order["order_id"].as_str().expect("an id");
        office.read("ana", &format!("/orders/{order}/tickets.pdf?from={from}")).send().await
    };
    assert_eq!(pages(&from("3").await.bytes), 1);
    from("4").await.problem(404, "not-found");
    for nonsense in ["0", "1001", "x"] {
        assert_eq!(from(nonsense).await.pointers(), ["?from"], "{nonsense}");
    }
}

#[tokio::test]
async fn what_a_scanner_reads_on_each_page_is_that_tickets_code() {
    let (office, event) = BoxOffice::open("paper_codes").await;
    let order = office.buy_places("ana", &event, 2).await;
    let path = format!("/orders/{}/tickets", order["order_id"].as_str().expect("an id"));
    let tickets = office.read("ana", &path).send().await.ok(200);
    let codes: Vec<&str> = tickets
        .as_array()
        .expect("a list")
        .iter()
        .map(|ticket| ticket["code"].as_str().expect("a code"))
        .collect();
    assert_ne!(codes[0], codes[1]);
    assert_eq!(scanner::codes(&office.papers("ana", &order).await.bytes), codes);
    assert_eq!(office.app.tickets.verify(codes[0]).expect("ours").section, "FLOOR");
}

#[test]
fn the_longest_code_is_read_as_it_was_printed() {
    let name = "\u{20000}".repeat(200);
    let signed = SignedTicket {
        ticket_id: Uuid::from_u128(1),
        event_id: Uuid::from_u128(2),
        section: name.clone(),
        seat: Some(name.clone()),
    };
    let signer = TicketSigner::new(&ticket_key_pem(&[7; 32])).expect("a seed");
    let code = signer.sign(&signed);
    let ticket = PaperTicket {
        id: "ticket".into(),
        section: name.clone(),
        seat: Some(name),
        code: code.clone(),
    };
    let paper = Paper {
        event: "Noche".into(),
        starts: "Tuesday".into(),
        venue: "Sala".into(),
        order: "order".into(),
        tickets: vec![ticket],
        before: 0,
        total: 1,
    };
    assert_eq!(scanner::codes(&print(&paper)), [code]);
}

#[tokio::test]
async fn an_order_without_tickets_has_nothing_to_print() {
    let settings = scratch::shared().await.migrated_database("no_papers").await.expect("one");
    let office = BoxOffice::over(settings.clone(), Arc::new(MemoryProvider::default())).await;
    let event = office.create_event(&event_form()).await;
    let hold = office.hold("ana", "k", &event, &["A-1-1"]).send().await.ok(201);
    let unpaid = office.order("ana", "k", &hold["hold_id"]).send().await.ok(201);
    office.papers("ana", &unpaid).await.problem(404, "not-found");

    let order = office.buy_places("eva", &event, 2).await;
    let (client, connection) =
        tokio_postgres::connect(settings.url.expose_secret(), tokio_postgres::NoTls)
            .await
            .expect("the database");
    tokio::spawn(connection);
    let void = async |tickets: u32| {
        let sql = "UPDATE tickets SET status = 1 WHERE ticket_id IN (\
                   SELECT ticket_id FROM tickets WHERE status = 0 LIMIT $1)";
        client.execute(sql, &[&i64::from(tickets)]).await.expect("rows of tickets");
    };
    void(1).await;
    assert_eq!(pages(&office.papers("eva", &order).await.bytes), 1, "a void one is not printed");
    void(1).await;
    office.papers("eva", &order).await.problem(404, "not-found");
}

#[tokio::test]
async fn names_of_any_script_and_any_length_are_printed() {
    let office = BoxOffice::empty("paper_names").await;
    let mut form = event_form();
    form["name"] = json!("座位1 Ñandú Київ مرحبا שלום 🎫 O\u{308} ".repeat(6).trim());
    let event = office.create_event(&form).await;
    let order = office.buy_places("ana", &event, 1).await;
    let pdf = office.papers("ana", &order).await.bytes;
    assert_eq!(pages(&pdf), 1);
    let letters = "1ÑandúКиївمرحباשלוםO座";
    assert_eq!(scanner::without_glyph(&pdf, letters), "座", "the rest has a glyph each");
    assert!(scanner::dots_above_codes(&pdf) > 0, "what no font of ours has is drawn in dots");
    // Neither comes by itself.
    let mut plain = event_form();
    plain["slug"] = json!("plain");
    let event = office.create_event(&plain).await;
    let order = office.buy_places("ana", &event, 1).await;
    let pdf = office.papers("ana", &order).await.bytes;
    assert_eq!(scanner::without_glyph(&pdf, "Ñמ"), "Ñמ");
    assert_eq!(scanner::dots_above_codes(&pdf), 0);
}

#[test]
fn the_largest_order_is_printed_within_bounds() {
    let ticket = |nth: u32| PaperTicket {
        id: format!("ticket-{nth}"),
        section: "S".repeat(200),
        seat: Some("座".repeat(200)),
        code: "x".repeat(1_000),
    };
    let paper = Paper {
        event: "E".repeat(200),
        starts: "Tuesday".into(),
        venue: "V".repeat(400),
        order: "order".into(),
        tickets: (0..1_000).map(ticket).collect(),
        before: 0,
        total: 1_000,
    };
    let usual = Paper {
        event: "Noche de prueba".into(),
        venue: "Estadio, Sevilla, ES".into(),
        tickets: (0..100)
            .map(|nth| PaperTicket {
                section: "101".into(),
                seat: Some("101-A-1".into()),
                code: "x".repeat(420),
                ..ticket(nth)
            })
            .collect(),
        ..paper.clone()
    };
    let begun = Instant::now();
    let pdf = print(&usual);
    println!("100 usual pages: {:?}, {} bytes", begun.elapsed(), pdf.len());
    let begun = Instant::now();
    let pdf = print(&paper);
    let took = begun.elapsed();
    println!("{PAGES_MAX} pages: {took:?}, {} bytes", pdf.len());
    assert_eq!(pages(&pdf), PAGES_MAX);
    assert!(took < Duration::from_secs(60), "{took:?}");
    assert!(pdf.len() < 10_000_000, "{} bytes", pdf.len());
}
