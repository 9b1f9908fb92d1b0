//! The operator's policy, which is mounted into the sidecar.

use landfall_sandbox::types::Config;

use crate::files::{Budget, read_user_path};
use crate::paths::display as display_path;
use crate::problem::Problem;
use crate::settings::{Cmp, OperatorPath};

/// The operator's policy that `--allow-sensitive` is short for.
const SENSITIVE_IN_SECRETS: &str = "apiVersion: landfall.dev/v1alpha1
kind: OperatorPolicy
spec:
  sensitive: {kinds: [Secret]}
";

/// Returns the operator's policy. A document that cannot be read is an error, because its
/// policies would not be enforced.
pub(super) fn operator_policy(
    cmp: &Cmp,
    max_bytes: u64,
    problems: &mut Vec<Problem>,
) -> Option<Config> {
    if cmp.allows_sensitive {
        return Some(Config {
            path: "<--allow-sensitive>".to_owned(),
            content: SENSITIVE_IN_SECRETS.into(),
        });
    }
    read_policy(cmp.operator_policy.as_ref()?, max_bytes, problems)
}

/// As [`operator_policy`], of a file.
pub(in crate::commands) fn read_policy(
    file: &OperatorPath,
    max_bytes: u64,
    problems: &mut Vec<Problem>,
) -> Option<Config> {
    let path = display_path(&file.path);
    match read_user_path(&file.path, &mut Budget::new(max_bytes)) {
        Ok(content) => Some(Config { path, content }),
        Err(error) => {
            problems.push(Problem::flag(file.named_by, &path, &error));
            None
        }
    }
}
