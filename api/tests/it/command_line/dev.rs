//! `taquilla dev` as whoever starts it sees it.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use super::{folder, taquilla};

/// Its Postgres and its provider go with it, if it is asked to stop.
pub(super) struct Running(pub(super) Child);

impl Running {
    pub(super) fn interrupt(&self) {
        let number = self.0.id().to_string();
        let asked = Command::new("sh").args(["-c", "kill -INT \"$1\"", "sh", &number]).status();
        assert!(asked.expect("there is a shell").success());
    }
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
