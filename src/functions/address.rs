//! Addresses of networks and hosts.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::functions::text::text;
use crate::functions::{Arguments, Failure};
use crate::outputs::Value;

/// Returns the address with this number in a network, as Terraform's cidrhost does;
/// negative numbers count from its end.
pub(crate) fn cidr_host(value: &Value, arguments: &Arguments<'_>) -> Result<Value, Failure> {
    let network = network(text(value)?).ok_or(Failure::Form("a network such as 10.0.0.0/16"))?;
    let number = arguments.whole(0).unwrap_or(0);
    // A mask of the host bits.
    let mask = match network.host_bits {
        128 => u128::MAX,
        bits => (1 << bits) - 1,
    };
    let fits = match number {
        0.. => number.unsigned_abs() <= mask,
        _ => number.unsigned_abs() - 1 <= mask,
    };
    if !fits {
        return Err(Failure::Argument(
            0,
            "the network has no host with this number".to_owned(),
        ));
    }
    // Two's complement counts negative numbers from the end.
    let host = number.cast_unsigned() & mask;
    let address = (network.address & !mask) | host;
    let written = if network.is_v4 {
        Ipv4Addr::from_bits((address & u128::from(u32::MAX)) as u32).to_string()
    } else {
        Ipv6Addr::from_bits(address).to_string()
    };
    Ok(Value::String(written))
}

struct Network {
    address: u128,
    host_bits: u32,
    is_v4: bool,
}

fn network(text: &str) -> Option<Network> {
    let (address, length) = text.split_once('/')?;
    if !length.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let length: u32 = length.parse().ok()?;
    let (address, bits, is_v4) = match address.parse().ok()? {
        IpAddr::V4(address) => (u128::from(address.to_bits()), 32, true),
        IpAddr::V6(address) => (address.to_bits(), 128, false),
    };
    Some(Network {
        address,
        host_bits: u32::checked_sub(bits, length)?,
        is_v4,
    })
}

pub(crate) fn hostname(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    let address = endpoint(text(value)?).ok_or(Failure::Form(ENDPOINT))?;
    match address.host {
        "" => Err(Failure::missing("no host")),
        host => Ok(Value::String(host.to_owned())),
    }
}

pub(crate) fn port(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    let address = endpoint(text(value)?).ok_or(Failure::Form(ENDPOINT))?;
    match address.port {
        Some(port) => Ok(Value::Number(port.to_string())),
        None => Err(Failure::missing("no port")),
    }
}

const ENDPOINT: &str = "a URL or host:port";

/// The host and port of a URL.
struct Endpoint<'t> {
    /// Without the brackets of an IPv6 address; empty if the URL has no host.
    host: &'t str,
    port: Option<u16>,
}

/// Parses the endpoint of `scheme://[user@]host[:port][/…]`, or of `host:port`, the form of
/// database endpoints.
fn endpoint(text: &str) -> Option<Endpoint<'_>> {
    let authority = match text.split_once("://") {
        Some((scheme, rest)) => {
            let mut bytes = scheme.bytes();
            // `jdbc:postgresql` is not a plain scheme, but is common.
            let is_scheme = bytes.next().is_some_and(|b| b.is_ascii_alphabetic())
                && bytes
                    .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.' | b':'));
            if !is_scheme {
                return None;
            }
            let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
            let authority = &rest[..end];
            authority
                .rsplit_once('@')
                .map_or(authority, |(_, host)| host)
        }
        None => text,
    };
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (address, after) = rest.split_once(']')?;
            address.parse::<Ipv6Addr>().ok()?;
            match after {
                "" => (address, None),
                after => (address, Some(after.strip_prefix(':')?)),
            }
        }
        None => match authority.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        },
    };
    let is_host = authority.starts_with('[')
        || host
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '-' | '.' | '_'));
    let digits = |port: &&str| port.bytes().all(|b| b.is_ascii_digit());
    let port = match port {
        None | Some("") => None,
        Some(port) => Some(port).filter(digits)?.parse().map(Some).ok()?,
    };
    // Without a scheme, only a port distinguishes an endpoint from other text.
    let is_endpoint = text.contains("://") || (port.is_some() && !host.is_empty());
    (is_host && is_endpoint).then_some(Endpoint { host, port })
}

#[cfg(test)]
mod tests {
    use super::super::call::check_function as check;

    #[test]
    fn hosts_of_networks() {
        for (network, number, host) in [
            ("10.12.112.0/20", "16", "10.12.112.16"),
            ("10.12.112.0/20", "268", "10.12.113.12"),
            ("10.12.112.9/20", "0", "10.12.112.0"),
            ("10.12.112.0/20", "-1", "10.12.127.255"),
            ("10.0.0.0/8", "-16777216", "10.0.0.0"),
            ("10.0.0.1/32", "0", "10.0.0.1"),
            ("0.0.0.0/0", "4294967295", "255.255.255.255"),
            (
                "fd00:fd12:3456:7890:00a2::/72",
                "34",
                "fd00:fd12:3456:7890::22",
            ),
            ("fd00::/64", "-1", "fd00::ffff:ffff:ffff:ffff"),
            ("::/0", "-1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
            (
                "::/0",
                "170141183460469231731687303715884105727",
                "7fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
            ),
        ] {
            check(
                "cidr_host",
                &format!("{network:?}"),
                &[number],
                &format!("{host:?}"),
            );
        }
        for (network, number) in [
            ("10.0.0.0/24", "256"),
            ("10.0.0.0/24", "-257"),
            ("10.0.0.1/32", "1"),
            ("10.0.0.1/32", "-2"),
            ("0.0.0.0/0", "-170141183460469231731687303715884105728"),
        ] {
            let reported = "Argument(0, \"the network has no host with this number\")";
            check("cidr_host", &format!("{network:?}"), &[number], reported);
        }
        for text in [
            "10.0.0.0",
            "10.0.0.0/",
            "10.0.0.0/33",
            "::/129",
            "10.0.0/8",
            "010.0.0.0/8",
            "a/8",
            "10.0.0.0/+8",
            "/8",
        ] {
            check(
                "cidr_host",
                &format!("{text:?}"),
                &["1"],
                "Form(\"a network such as 10.0.0.0/16\")",
            );
        }
    }

    #[test]
    fn endpoints() {
        for (text, host, port) in [
            (
                "https://a.b.eu-west-1.eks.amazonaws.com",
                "a.b.eu-west-1.eks.amazonaws.com",
                None,
            ),
            (
                "https://sqs.eu-west-1.amazonaws.com/0123/q?a=b:c@d#e",
                "sqs.eu-west-1.amazonaws.com",
                None,
            ),
            (
                "postgres://user:p%40ss@db.internal:05432/x",
                "db.internal",
                Some("5432"),
            ),
            ("postgres://u@x:p@db:1", "db", Some("1")),
            ("jdbc:postgresql://db:5432/x", "db", Some("5432")),
            ("https://[2001:db8::1]:8443/", "2001:db8::1", Some("8443")),
            ("http://[::1]", "::1", None),
            ("http://a:/", "a", None),
            ("http://münchen.de", "münchen.de", None),
            (
                "db.abc.eu-west-1.rds.amazonaws.com:5432",
                "db.abc.eu-west-1.rds.amazonaws.com",
                Some("5432"),
            ),
            ("[::1]:80", "::1", Some("80")),
        ] {
            check("hostname", &format!("{text:?}"), &[], &format!("{host:?}"));
            if let Some(port) = port {
                check("port", &format!("{text:?}"), &[], port);
            }
        }
        for text in [
            "",
            "vpc-0ab1",
            "db:",
            ":80",
            "mongodb://a:1,b:2/x",
            "http://a b/",
            "://a",
            "1://a",
            "http://[::1",
            "http://[::1]80",
            "http://[x]/",
            "http://a:80:81",
            "http://a:65536",
            "http://a:+1",
            "http://a%20b",
            "http://a\\b",
        ] {
            let reported = "Form(\"a URL or host:port\")";
            check("hostname", &format!("{text:?}"), &[], reported);
            check("port", &format!("{text:?}"), &[], reported);
        }
    }
}
