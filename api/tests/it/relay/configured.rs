//! Sinks as configuration names them: what is wrong is said, and nobody's secrets are.

use std::io::Write as _;

use secrecy::ExposeSecret as _;
use taquilla_api::config::{Config, settings};
use taquilla_api::relay::{Identity, RelaySettings};
use tempfile::NamedTempFile;

use super::endpoint::Endpoint;

fn file(text: &str) -> NamedTempFile {
    let mut file = NamedTempFile::new().expect("a file");
    file.write_all(text.as_bytes()).expect("text");
    file
}

/// Of this entry in `outbox.webhooks`, with a good secret, and of this bus.
fn load(webhooks: &str, nats: &str) -> Result<RelaySettings, String> {
    let secret = file(&Endpoint::secret());
    let path = format!("secret_file = {:?}", secret.path().display().to_string());
    let config = file(&format!("[outbox]\nwebhooks = {}", webhooks.replace("SECRET", &path)));
    let variables = [("TAQUILLA__NATS__URL".to_owned(), nats.to_owned())].into_iter();
    let config = Config::load(Some(config.path()), variables).map_err(|error| error.to_string())?;
    settings::relay(&config).map_err(|error| error.to_string())
}

#[test]
fn endpoints_and_the_bus_are_as_they_are_named() {
    let entry = "{ name = \"crm\", url = \"https://crm.example/in?key=hidden\", SECRET, \
                   types = [\"taquilla.ticket.issued.v1\"] }";
    let bus = "nats://ana:hi%40dden@127.0.0.1, tls://ana:hi%40dden@other:4223";
    let settings = load(&format!("[{entry}]"), bus);
    let settings = settings.expect("all of it is right");
    let [webhook] = settings.webhooks.as_slice() else { panic!("{settings:?}") };
    assert_eq!(webhook.types, ["taquilla.ticket.issued.v1"]);
    let nats = settings.nats.as_ref().expect("a bus");
    let servers: Vec<_> = nats.servers.iter().map(|it| it.as_url_str()).collect();
    assert_eq!(servers, ["nats://127.0.0.1", "tls://other:4223"]);
    let Identity::User(user, password) = &nats.identity else { panic!("{nats:?}") };
    assert_eq!((user.as_str(), password.expose_secret()), ("ana", "hi@dden"));
    let shown = format!("{settings:?}");
    assert!(!shown.contains("hidden") && !shown.contains("dden"), "{shown}");
    let token = load("[]", "nats://t0ken@127.0.0.1").expect("a token").nats.expect("a bus");
    assert!(matches!(token.identity, Identity::Token(token) if token.expose_secret() == "t0ken"));
    assert!(load("[]", "").expect("nobody is told").nats.is_none());
}

#[test]
fn what_is_wrong_with_a_sink_is_said_by_its_name() {
    let with = |entry: &str| {
        let said = load(&format!("[{{ {entry} }}]"), "").expect_err(entry);
        assert!(said.starts_with("outbox.webhooks"), "{said}");
        said
    };
    let here = "url = \"http://127.0.0.1:1/in\", SECRET";
    for name in ["", "CRM", "a.b", "a b", &"a".repeat(41)] {
        let said = with(&format!("name = {name:?}, {here}"));
        assert!(said.contains("1 to 40 small letters"), "{said}");
    }
    for (url, rule) in [
        ("crm.example/in", "one such as https://"),
        ("ftp://crm.example/in", "one such as https://"),
        ("http://crm.example/in", "is https, unless it is of this machine"),
    ] {
        let said = with(&format!("name = \"crm\", url = {url:?}, SECRET"));
        assert!(said.contains(rule), "{said}");
    }
    let said = with(&format!("name = \"crm\", {here}, types = [\"taquilla.nothing.v1\"]"));
    assert!(said.contains("taquilla.hold.placed.v1"), "all that there are: {said}");
    let said = with(&format!("name = \"crm\", {here}, colour = \"red\""));
    assert!(said.contains("colour"), "{said}");
    with(&format!("name = \"nats\", {here}"));
    with(&format!("name = \"crm\", {here} }}, {{ name = \"crm\", {here}"));
    let short = file("whsec_c2hvcnQ=");
    let url = "url = \"http://127.0.0.1:1/in\"";
    let said = with(&format!("name = \"crm\", {url}, secret_file = {:?}", short.path()));
    assert!(said.contains("24 to 64 bytes") && !said.contains("c2hvcnQ"), "{said}");
    let said = load(&format!("[{{ name = \"crm\", {url}, secret_file = \"/nowhere\" }}]"), "");
    assert!(said.expect_err("no file").contains("/nowhere"));
}

#[test]
fn what_is_wrong_with_the_bus_is_said_without_its_password() {
    for url in [",", "nats://", "http://ana:hidden@bus", "nats://ana:hidden@bus:port"] {
        let said = load("[]", url).expect_err(url);
        assert!(said.starts_with("nats.url is nats://user:password@host:4222"), "{said}");
        assert!(!said.contains("hidden"), "{said}");
    }
    let said = load("[]", "nats://ana:a@one, nats://bob:b@other").expect_err("two users");
    assert!(said.contains("names the same user"), "{said}");
}
