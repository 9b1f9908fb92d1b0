//! Amazon resource names: `arn:partition:service:region:account:resource`.

use crate::functions::text::text;
use crate::functions::{Arguments, Failure};
use crate::outputs::Value;
use crate::report::suggest;

/// The parts in their order; the resource is all the rest, colons included
/// (IAM user guide, "Identify AWS resources with ARNs").
const PARTS: [&str; 5] = ["partition", "service", "region", "account", "resource"];

pub(crate) fn arn(value: &Value, arguments: &Arguments<'_>) -> Result<Value, Failure> {
    let wanted = arguments.text(0);
    let Some(nth) = PARTS.iter().position(|part| *part == wanted) else {
        let listed = suggest::listed(PARTS);
        return Err(Failure::Argument(
            0,
            format!("the parts of an ARN are {listed}"),
        ));
    };
    let parts: Vec<&str> = text(value)?.splitn(PARTS.len() + 1, ':').collect();
    match parts.as_slice() {
        ["arn", parts @ ..] if parts.len() == PARTS.len() => match parts[nth] {
            "" => Err(Failure::missing(format!("no {wanted}"))),
            part => Ok(Value::String(part.to_owned())),
        },
        _ => Err(Failure::Form("an ARN")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::call::check_function as check;

    #[test]
    fn splits_an_arn_into_its_parts() {
        let log_group = "\"arn:aws:logs:eu-west-1:012345678901:log-group:/aws/eks:*\"";
        for (part, expected) in [
            ("partition", "aws"),
            ("service", "logs"),
            ("region", "eu-west-1"),
            ("account", "012345678901"),
            ("resource", "log-group:/aws/eks:*"),
        ] {
            check(
                "arn",
                log_group,
                &[&format!("{part:?}")],
                &format!("{expected:?}"),
            );
        }
    }

    #[test]
    fn rejects_text_that_is_not_an_arn() {
        for text in [
            "",
            "arn",
            "arn:aws:iam::1",
            "urn:a:b:c:d:e",
            "x arn:a:b:c:d:e",
        ] {
            check(
                "arn",
                &format!("{text:?}"),
                &["\"service\""],
                "Form(\"an ARN\")",
            );
        }
    }
}
