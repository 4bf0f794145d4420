//! What is wrong with a configuration is said with the key's name and what would be right.

use std::io::Write;

use taquilla_api::config::{Config, Provider};
use taquilla_api::limits::Rate;

fn load(file: Option<&str>, variables: &[(&str, &str)]) -> Result<Config, String> {
    let file = file.map(|text| {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        file.write_all(text.as_bytes()).expect("text");
        file
    });
    let variables = variables.iter().map(|(name, value)| ((*name).into(), (*value).into()));
    Config::load(file.as_ref().map(tempfile::NamedTempFile::path), variables)
        .map_err(|error| error.to_string())
}

#[test]
fn the_shipped_file_is_the_default() {
    let config = load(None, &[]).expect("the defaults are right");
    assert_eq!(config.http.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(config.metrics.listen.to_string(), "127.0.0.1:9464");
    assert_eq!(config.http.decision_deadline().as_millis(), 3_000);
    let shipped = include_str!("../../../config/taquilla.toml");
    let secrets =
        ["url =", "jwt_key =", "key =", "smtp_url =", "secret_key =", "webhook_secrets ="];
    let is_secret = |line: &&str| secrets.iter().any(|secret| line.starts_with(secret));
    let without_secrets: Vec<&str> = shipped.lines().filter(|line| !is_secret(line)).collect();
    load(Some(&without_secrets.join("\n")), &[]).expect("it can be given as a file");
}

#[test]
fn the_environment_wins_over_the_file_and_the_file_over_the_default() {
    let file = "[http]\ndecision_deadline_ms = 500\ndrain_seconds = 1";
    let variables = [
        ("TAQUILLA__HTTP__DECISION_DEADLINE_MS", "700"),
        ("TAQUILLA__HTTP__CORS_ORIGINS", "https://a.example, https://b.example"),
        ("PATH", "/bin"),
    ];
    let config = load(Some(file), &variables).expect("all are right");
    assert_eq!(config.http.decision_deadline().as_millis(), 700);
    assert_eq!(config.http.drain().as_secs(), 1);
    assert_eq!(config.http.cors_origins, ["https://a.example", "https://b.example"]);
}

#[test]
fn a_bad_or_unknown_key_is_named_with_the_reason() {
    let file = |text| load(Some(text), &[]).expect_err("it is wrong");
    let variable = |name, value| load(None, &[(name, value)]).expect_err("it is wrong");
    for (said, expected) in [
        (file("[http]\nlisten_on = 1"), "http.listen_on"),
        (file("[htp]\nlisten = 1"), "htp"),
        (
            file("[http]\ndrain_seconds = \"1\""),
            "http.drain_seconds is a whole number, not a string",
        ),
        (file("[http]\nlisten = \"here\""), "http.listen cannot be used"),
        (file("[http"), "is not TOML"),
        (
            file("[shedding]\nconcurrency_min = 16385"),
            "shedding.concurrency_min is 1 to 16384, not 16385",
        ),
        (file("[limits]\nhold_churn_free = 11"), "limits.hold_churn_max is 11 to 1000, not 10"),
        (file("[engine]\nbatch_max = 0"), "engine.batch_max is 1 to 20000, not 0"),
        (
            file("[http]\nconnections_max = 9223372036854775807"),
            "http.connections_max is 1 to 1000000, not 9223372036854775807",
        ),
        (
            file("[http]\ndecision_deadline_ms = 5000"),
            "http.decision_deadline_ms is 1 to 4999, not 5000",
        ),
        (
            file("[shedding]\ntarget_ms = 3001"),
            "shedding.target_ms is at most http.decision_deadline_ms, which is 3000, not 3001",
        ),
        (
            file("[http]\ndecision_deadline_ms = 499"),
            "shedding.target_ms is at most http.decision_deadline_ms, which is 499, not 500",
        ),
        (
            file("[limits]\nper_address_burst = 0"),
            "limits.per_address_burst is 1 to 1000000, not 0",
        ),
        (
            file("[limits]\nper_account_per_second = -1"),
            "limits.per_account_per_second cannot be used",
        ),
        (file("[limits]\nipv6_prefix = 129"), "limits.ipv6_prefix is 32 to 128, not 129"),
        (
            variable("TAQUILLA__HTTP__TRUSTED_PROXIES", "10.0.0.0/8,proxy.example"),
            "http.trusted_proxies holds \"proxy.example\", which is no network such as 10.0.0.0/8",
        ),
        (
            variable("TAQUILLA__HTTP__TRUSTED_PROXIES", "10.0.0.0/8,::/0"),
            "http.trusted_proxies holds \"::/0\", which has IPv4 written as IPv6 in it",
        ),
        (file("[challenge]\ndifficulty = 0"), "challenge.difficulty is 1 to 10000000, not 0"),
        (
            file("[challenge]\nexpires_seconds = 5"),
            "challenge.expires_seconds is 30 to 3600, not 5",
        ),
        (file("[challenge]\nkey = \"k\""), "set TAQUILLA__CHALLENGE__KEY, or challenge.key_file"),
        (file("[database]\nreaders = 1001"), "database.readers is 1 to 1000"),
        (variable("TAQUILLA__HTTP__CORS_ORIGINS", "shop.example"), "no origin such as https://"),
        (variable("TAQUILLA__HTTP__CORS_ORIGINS", "https://a.example/"), "\"https://a.example\""),
        (file("[auth]\njwt_key = \"k\""), "TAQUILLA__AUTH__JWT_KEY"),
        (file("[log]\nformat = \"xml\""), "log.format cannot be used"),
        (variable("TAQUILLA__HTTP__LISTN", "x"), "TAQUILLA__HTTP__LISTN"),
        (variable("TAQUILLA__HTTP__CORS_ORIGINS", "*,https://a.example"), "http.cors_origins"),
        (variable("TAQUILLA__NOTHING", "x"), "TAQUILLA__NOTHING"),
        (variable("TAQUILLA__ENGINE__BATCH_MAX", "many"), "engine.batch_max"),
        (variable("TAQUILLA__ENGINE__BATCH_MAX", "-1"), "engine.batch_max"),
        (variable("TAQUILLA__PAYMENTS__PROVIDER", "bank"), "payments.provider"),
        (file("http = 1"), "http is a section, not a whole number"),
        (file("[http]\nlisten = {a = 1}"), "http.listen is a string, not a section"),
        (file("[payments]\nstripe = \"yes\""), "payments.stripe is a section, not a string"),
        (file("[payments.stripe]\napi = 1"), "there is no key payments.stripe.api;"),
        (file("[payments.strype]\nreturn_url = \"\""), "there is no key payments.strype;"),
        (
            file("[payments.stripe]\nsecret_key = \"sk\""),
            "set TAQUILLA__PAYMENTS__STRIPE__SECRET_KEY, or payments.stripe.secret_key_file",
        ),
        (
            file("[payments.stripe]\nkey_life_seconds = 86401"),
            "payments.stripe.key_life_seconds is 60 to 86400, not 86401",
        ),
        (
            variable("TAQUILLA__PAYMENTS__STRIPE__UNKNOWN_MAX_SECONDS", "a day"),
            "payments.stripe.unknown_max_seconds (TAQUILLA__",
        ),
        (variable("TAQUILLA__PAYMENTS__STRIPE__API", "x"), "no key payments.stripe.api;"),
        (variable("TAQUILLA__PAYMENTS__STRIPE", "x"), "no key payments.stripe;"),
        (variable("TAQUILLA__HTTP__LISTEN__X", "x"), "no key http.listen.x;"),
        (variable("TAQUILLA__HTTP.LISTEN", "x"), "no key http.listen;"),
    ] {
        assert!(said.contains(expected), "{said:?} does not say {expected:?}");
    }
}

#[test]
fn accounts_are_limited_unless_it_is_a_dev_instance_where_whatever_is_given_counts() {
    let shipped = load(None, &[]).expect("the defaults are right");
    let (address, account) = (shipped.limits.per_address(), shipped.limits.per_account());
    let rate = |rate: Rate| ((1.0 / rate.one_each.as_secs_f64()).round(), rate.burst.get());
    assert_eq!((address, account.map(rate)), (None, Some((20.0, 500))));
    let on = load(None, &[("TAQUILLA__LIMITS__PER_ADDRESS_PER_SECOND", "400")]).expect("right");
    assert_eq!(on.limits.per_address().map(rate), Some((400.0, 2_000)));

    let dev = |file: &str, variables: &[(&str, &str)]| {
        let mut given = tempfile::NamedTempFile::new().expect("a file");
        given.write_all(file.as_bytes()).expect("text");
        let variables = variables.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        let config = Config::load_for_dev(Some(given.path()), variables).expect("right");
        let limits = config.limits;
        (limits.per_address().is_some(), limits.per_account().is_some())
    };
    assert_eq!(dev("", &[]), (false, false));
    assert_eq!(dev("[limits]\nper_address_per_second = 400", &[]), (true, false));
    let variable = [("TAQUILLA__LIMITS__PER_ACCOUNT_PER_SECOND", "10")];
    assert_eq!(dev("", &variable), (false, true));
}

#[test]
fn secrets_are_asked_for_by_name_and_are_long_enough() {
    let config = load(None, &[]).expect("the defaults are right");
    let said = config.database_url().expect_err("it is not set").to_string();
    assert!(said.contains("TAQUILLA__DATABASE__URL"), "{said}");
    let challenge = |variables: &[(&str, &str)]| {
        load(None, variables).expect("each is a string").challenge.settings()
    };
    let on = ("TAQUILLA__CHALLENGE__ENABLED", "true");
    assert!(challenge(&[]).expect("nothing is needed").is_none());
    let said = challenge(&[on]).expect_err("it is not set").to_string();
    assert!(said.contains("TAQUILLA__CHALLENGE__KEY"), "{said}");
    let short = challenge(&[on, ("TAQUILLA__CHALLENGE__KEY", "short")]);
    let said = short.expect_err("it is short").to_string();
    assert_eq!(said, "challenge.key has at least 32 bytes");
    let long = challenge(&[on, ("TAQUILLA__CHALLENGE__KEY", &"k".repeat(32))]);
    let settings = long.expect("long enough").expect("it is on");
    assert_eq!((settings.difficulty, settings.lifetime.as_secs()), (100_000, 300));
    let config = load(None, &[("TAQUILLA__AUTH__JWT_KEY", "short")]).expect("a string");
    let said = config.jwt_key().expect_err("it is short").to_string();
    assert!(said.contains("auth.jwt_key has at least 32 bytes"), "{said}");
    assert!(!said.contains("short"), "a secret is never shown: {said}");
}

#[test]
fn a_section_in_a_section_is_set_like_any_other() {
    let file = "[payments]\nprovider = \"stripe\"\n[payments.stripe]\n\
                return_url = \"https://shop.example/paid\"\nkey_life_seconds = 3600";
    let variables = [("TAQUILLA__PAYMENTS__STRIPE__KEY_LIFE_SECONDS", "7200")];
    let config = load(Some(file), &variables).expect("all are right");
    assert_eq!(config.payments.provider, Provider::Stripe);
    let stripe = &config.payments.stripe;
    assert_eq!(stripe.key_life().as_secs(), 7_200);
    assert_eq!(stripe.unknown_max().as_secs(), 86_400);
    let url = stripe.return_url().expect("a page").expect("it is set");
    assert_eq!(url.as_str(), "https://shop.example/paid");
}

#[test]
fn stripes_secrets_are_asked_for_by_name_and_its_address_does_not_give_them_away() {
    let stripe = |variables: &[(&str, &str)]| {
        let named = variables.iter().map(|(key, value)| {
            (format!("TAQUILLA__PAYMENTS__STRIPE__{key}"), (*value).to_owned())
        });
        Config::load(None, named).expect("each is a string").payments.stripe
    };
    let nothing = stripe(&[]);
    let said = nothing.secret_key().expect_err("it is not set").to_string();
    assert!(said.contains("TAQUILLA__PAYMENTS__STRIPE__SECRET_KEY"), "{said}");
    let said = stripe(&[("SECRET_KEY", " ")]).secret_key().expect_err("blank").to_string();
    assert!(said.contains("is not set"), "{said}");
    let empty = tempfile::NamedTempFile::new().expect("a file");
    let path = empty.path().to_str().expect("text");
    let said = stripe(&[("SECRET_KEY_FILE", path)]).secret_key().expect_err("empty").to_string();
    assert!(said.contains("which is empty") && said.contains(path), "{said}");
    for blank in ["", " , "] {
        let blank = stripe(&[("WEBHOOK_SECRETS", blank)]);
        let said = blank.webhook_secrets().expect_err("none is set").to_string();
        assert!(said.starts_with("payments.stripe.webhook_secrets"), "{said}");
    }
    let said = stripe(&[("SECRET_KEY", "pk_live_1")]).secret_key().expect_err("public").to_string();
    assert!(said.contains("begins with sk_ or rk_"), "{said}");
    assert!(stripe(&[("SECRET_KEY", "rk_live_1")]).secret_key().is_ok());
    let test = stripe(&[("SECRET_KEY", "sk_test_1"), ("API_BASE", "http://127.0.0.1:1")]);
    assert_eq!(test.api_base().expect("a fake").port(), Some(1));
    assert!(stripe(&[("SECRET_KEY", "rk_live_1")]).api_base().is_ok(), "the default is https");
    for (key, base, rule) in [
        ("rk_live_1", "http://127.0.0.1:1", "is https where"),
        ("sk_live_1", "http://127.0.0.1:1", "is https where"),
        ("sk_test_1", "api.stripe.com", "is a URL such as"),
        ("sk_test_1", "ftp://api.stripe.com", "is a URL such as"),
        ("sk_test_1", "https://api.stripe.com/?a=b", "is a URL such as"),
    ] {
        let said = stripe(&[("SECRET_KEY", key), ("API_BASE", base)]).api_base();
        let said = said.expect_err(base).to_string();
        assert!(said.contains(rule) && !said.contains(key), "{said}");
    }
    let said = stripe(&[("RETURN_URL", "/paid")]).return_url().expect_err("no page").to_string();
    assert!(said.starts_with("payments.stripe.return_url is empty, or"), "{said}");
}

#[test]
fn a_dev_instance_lets_everybody_drop_holds_unless_it_is_told_otherwise() {
    let none = || std::iter::empty();
    let budget = |config: Config| config.limits.hold_churn().map(|budget| budget.free);
    assert_eq!(budget(Config::load(None, none()).expect("the defaults")), Some(5));
    assert_eq!(budget(Config::load_for_dev(None, none()).expect("the defaults")), None);
    let told = ("TAQUILLA__LIMITS__HOLD_CHURN_FREE".to_owned(), "3".to_owned());
    let told = Config::load_for_dev(None, std::iter::once(told)).expect("it is right");
    assert_eq!(budget(told), Some(3));
}
