//! A URL of several hosts, taken apart.
//!
//! The driver would try them by itself, but bounds only the TCP connect of each: one that is let in and
//! then hears nothing would use up the time of all. So each is a configuration of its own here.

use tokio_postgres::Config;
use tokio_postgres::config::Host;

/// A configuration for each host, in order; the given one if it names none, which the driver refuses.
pub(super) fn each(config: &Config) -> Vec<Config> {
    let count = config.get_hosts().len().max(config.get_hostaddrs().len());
    if count <= 1 {
        return vec![config.clone()];
    }
    (0..count).map(|place| only(config, place)).collect()
}

/// Everything that can be configured, with the host at this place alone.
fn only(all: &Config, place: usize) -> Config {
    let mut one = without_hosts(all);
    match all.get_hosts().get(place) {
        Some(Host::Tcp(name)) => drop(one.host(name)),
        Some(Host::Unix(path)) => drop(one.host_path(path)),
        None => {}
    }
    if let Some(address) = all.get_hostaddrs().get(place) {
        one.hostaddr(*address);
    }
    // One port is every host's.
    if let Some(port) = all.get_ports().get(place).or(all.get_ports().first()) {
        one.port(*port);
    }
    one
}

fn without_hosts(all: &Config) -> Config {
    let mut one = Config::new();
    one.ssl_mode(all.get_ssl_mode())
        .ssl_negotiation(all.get_ssl_negotiation())
        .keepalives(all.get_keepalives())
        .keepalives_idle(all.get_keepalives_idle())
        .target_session_attrs(all.get_target_session_attrs())
        .channel_binding(all.get_channel_binding())
        .load_balance_hosts(all.get_load_balance_hosts());
    all.get_user().map(|it| one.user(it));
    all.get_password().map(|it| one.password(it));
    all.get_dbname().map(|it| one.dbname(it));
    all.get_options().map(|it| one.options(it));
    all.get_application_name().map(|it| one.application_name(it));
    all.get_connect_timeout().map(|it| one.connect_timeout(*it));
    all.get_tcp_user_timeout().map(|it| one.tcp_user_timeout(*it));
    all.get_keepalives_interval().map(|it| one.keepalives_interval(it));
    all.get_keepalives_retries().map(|it| one.keepalives_retries(it));
    one
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(url: &str) -> Config {
        url.parse().expect("a good URL")
    }

    #[test]
    fn each_host_keeps_its_port_and_everything_else_of_the_url() {
        let rest = "/tickets?application_name=taquilla&connect_timeout=3&tcp_user_timeout=4\
            &keepalives_idle=5&target_session_attrs=read-write&channel_binding=disable\
            &options=-c%20jit%3Doff&sslmode=disable";
        let url = |hosts: &str| parsed(&format!("postgresql://ann:secret@{hosts}{rest}"));
        assert_eq!(each(&url("one:1,two:2,[::1]:3")), [url("one:1"), url("two:2"), url("[::1]:3")]);
        assert_eq!(each(&url("one:1")), [url("one:1")]);
    }

    #[test]
    fn one_port_is_every_hosts_and_none_is_the_default() {
        let some = parsed("host=one,/two port=7 user=ann");
        assert_eq!(
            each(&some),
            [parsed("host=one port=7 user=ann"), parsed("host=/two port=7 user=ann")]
        );
        let some = parsed("host=one,two user=ann");
        assert_eq!(each(&some), [parsed("host=one user=ann"), parsed("host=two user=ann")]);
        let addressed = parsed("hostaddr=127.0.0.1,127.0.0.2 port=7,8 user=ann");
        let apart = ["hostaddr=127.0.0.1 port=7 user=ann", "hostaddr=127.0.0.2 port=8 user=ann"];
        assert_eq!(each(&addressed), apart.map(parsed));
    }
}
