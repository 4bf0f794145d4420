//! `taquilla dev` as whoever starts it sees it.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use super::{folder, taquilla};

/// Its Postgres and its provider go with it, if it is asked to stop.
pub(super) struct Running(pub(super) Child);

impl Running {
    pub(super) fn interrupt(&self) {
        signal("INT", self.0.id());
    }

    /// Starts it in this folder; it, and what it says until it is ready.
    fn start(folder: &TempDir) -> (Self, String) {
        let mut command = taquilla(folder, &["dev", "--no-demo", "--port", "0"]);
        command.args(["--metrics-port", "0"]);
        let log = File::create(folder.path().join("log")).expect("a file");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        let mut dev = Self(command.spawn().expect("the binary is there"));
        let mut out = BufReader::new(dev.0.stdout.take().expect("it is piped"));
        let mut said = String::new();
        while !said.contains("TAQUILLA READY ") {
            assert_ne!(out.read_line(&mut said).expect("text"), 0, "it ended: {said}");
        }
        (dev, said)
    }
}

fn signal(name: &str, process: u32) {
    let words = ["-c", "kill -s \"$1\" \"$2\"", "sh", name, &process.to_string()];
    assert!(Command::new("sh").args(words).status().expect("there is a shell").success());
}

impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(None)) {
            self.interrupt();
            let _ = self.0.wait();
        }
    }
}

#[test]
fn a_start_says_where_things_are_and_ready_last_and_an_interrupt_is_heard() {
    let folder = folder();
    let mut command = taquilla(&folder, &["dev", "--no-demo", "--port", "0"]);
    command.args(["--metrics-port", "0", "--data-dir", "its own"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut dev = Running(command.spawn().expect("the binary is there"));
    let mut out = BufReader::new(dev.0.stdout.take().expect("it is piped"));
    let mut said = String::new();
    while !said.contains("TAQUILLA READY ") {
        assert_ne!(out.read_line(&mut said).expect("text"), 0, "it ended: {said}");
    }
    for line in ["\ndatabase  PGPASSWORD=\"$(cat \"", "token --sub ann --data-dir \"its own\"\n"] {
        assert!(said.contains(line), "{line}: {said}");
    }
    assert!(said.starts_with("data      its own;"), "{said}");
    let password = folder.path().join("its own/postgres/postgres.password");
    assert!(said.contains(&format!("cat \"{}\"", password.display())), "{said}");
    let password = std::fs::read_to_string(password).expect("the password's file");
    assert!(!said.contains(password.trim()), "a secret is never printed");
    assert!(!said.contains("demo-open"), "{said}");
    let addresses: Vec<_> = said.lines().rev().take(3).map(|line| line.split(' ').nth(1)).collect();
    assert_eq!(addresses, [Some("READY"), Some("PROVIDER"), Some("METRICS")], "{said}");

    dev.interrupt();
    let (mut rest, mut log) = (String::new(), String::new());
    out.read_to_string(&mut rest).expect("text");
    dev.0.stderr.take().expect("it is piped").read_to_string(&mut log).expect("text");
    assert_eq!(rest, "", "READY is the last line");
    assert!(log.contains("stopping"), "{log}");
    assert!(dev.0.wait().expect("it ends").success(), "{log}");
}

#[test]
fn the_provider_is_found_where_it_was_after_a_stop_and_after_kills_unless_its_port_is_taken() {
    let folder = folder();
    let (mut dev, said) = Running::start(&folder);
    let provider = |said: &str| {
        let line = said.lines().find(|line| line.starts_with("TAQUILLA PROVIDER "));
        line.expect("it says where").to_owned()
    };
    let first = provider(&said);
    dev.interrupt();
    assert!(dev.0.wait().expect("it ends").success());

    let (mut dev, said) = Running::start(&folder);
    assert_eq!(provider(&said), first, "after a stop");
    // Both at once, without a last word.
    let announced = folder.path().join(".taquilla/provider/provider.json");
    let announced: Value =
        serde_json::from_slice(&fs::read(announced).expect("its file")).expect("JSON");
    let process = announced["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok());
    signal("KILL", dev.0.id());
    signal("KILL", process.expect("a process"));
    dev.0.wait().expect("it ends");

    let (mut dev, said) = Running::start(&folder);
    assert_eq!(provider(&said), first, "after kills");
    dev.interrupt();
    assert!(dev.0.wait().expect("it ends").success());

    let address = first.strip_prefix("TAQUILLA PROVIDER http://").expect("an address");
    let somebody = TcpListener::bind(address).expect("it is free");
    let (_dev, said) = Running::start(&folder);
    assert_ne!(provider(&said), first, "it is somebody else's");
    drop(somebody);
    let log = fs::read_to_string(folder.path().join("log")).expect("the log");
    assert!(log.contains("takes another port"), "{log}");
}
