//! `spec.helm`: how the chart of a folder with `tool: helm` is templated.

use crate::config::keys;
use crate::config::reader::Reader;
use yaml::{NodeId, Span};

/// The longest release name that Helm accepts (pkg/chart/common/util/validate_name.go, helm
/// 4.3.1), and the longest name of a namespace.
const MAX_RELEASE_NAME: usize = 53;
const MAX_NAMESPACE: usize = 63;

/// `spec.helm`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChartOptions {
    /// `None`: the name of the Argo CD Application.
    pub release_name: Option<String>,
    /// `None`: the namespace of the Argo CD Application.
    pub namespace: Option<String>,
    /// Values files, relative to the folder of the Binding, each with its location. Later
    /// ones override earlier ones, and all of them override the chart's own `values.yaml`.
    pub value_files: Vec<(String, Span)>,
    /// The version of Kubernetes that templates see. `None`: that of the cluster.
    pub kube_version: Option<String>,
    /// API versions that templates see besides those of the cluster.
    pub api_versions: Vec<String>,
    /// Whether the files in `crds/` are left out.
    pub skip_crds: bool,
    /// Whether the chart's tests are left out.
    pub skip_tests: bool,
}

impl ChartOptions {
    /// Reads the options. Everything but the paths becomes an argument of Helm, so nothing
    /// is accepted that could be more than the name or version that it should be.
    pub(crate) fn read(reader: &mut Reader<'_>, id: NodeId) -> Self {
        let entries = reader.mapping(id, "spec.helm", &keys::HELM);
        let mut options = Self::default();
        if let Some(id) = entries.get("releaseName") {
            let is_valid = |name: &str| is_dns_name(name, MAX_RELEASE_NAME, true);
            let help = "use lower case letters, digits, `-` and `.`, at most 53 characters";
            options.release_name = checked(reader, *id, "releaseName", is_valid, help);
        }
        if let Some(id) = entries.get("namespace") {
            let is_valid = |name: &str| is_dns_name(name, MAX_NAMESPACE, false);
            let help = "use lower case letters, digits and `-`, at most 63 characters";
            options.namespace = checked(reader, *id, "namespace", is_valid, help);
        }
        if let Some(id) = entries.get("kubeVersion") {
            let help = "write it like `1.33.2`";
            options.kube_version = checked(reader, *id, "kubeVersion", is_version, help);
        }
        if let Some(id) = entries.get("apiVersions") {
            for (id, version) in reader.texts(*id, "spec.helm.apiVersions") {
                if is_api_version(&version) {
                    options.api_versions.push(version);
                } else {
                    let message = format!("invalid API version `{version}`");
                    reader.error(id, message, "write it like `monitoring.coreos.com/v1`");
                }
            }
        }
        if let Some(id) = entries.get("valueFiles") {
            for (id, path) in reader.texts(*id, "spec.helm.valueFiles") {
                if path.starts_with('/') || path.contains('\\') || path.contains("://") {
                    let help =
                        "write it relative to the Binding's folder, with `/` between folders";
                    reader.error(id, format!("`{path}` is not a relative path"), help);
                } else {
                    options.value_files.push((path, reader.span(id)));
                }
            }
        }
        let mut flag = |key| {
            let id = entries.get(key);
            id.and_then(|id| reader.flag(*id, key)).unwrap_or(false)
        };
        options.skip_crds = flag("skipCrds");
        options.skip_tests = flag("skipTests");
        options
    }
}

fn checked(
    reader: &mut Reader<'_>,
    id: NodeId,
    key: &str,
    is_valid: impl Fn(&str) -> bool,
    help: &str,
) -> Option<String> {
    let text = reader.text(id, key)?;
    if !is_valid(&text) {
        reader.error(id, format!("invalid value `{text}` for `{key}`"), help);
    }
    Some(text)
}

/// Returns whether a name is a DNS label, or labels separated by dots.
pub(super) fn is_dns_name(name: &str, max: usize, with_dots: bool) -> bool {
    let is_inner = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    let is_label = |label: &str| {
        !label.is_empty()
            && label.bytes().all(is_inner)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    name.len() <= max
        && if with_dots {
            name.split('.').all(is_label)
        } else {
            is_label(name)
        }
}

fn is_version(version: &str) -> bool {
    let digits = version.strip_prefix('v').unwrap_or(version);
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+' | b'-');
    digits.starts_with(|first: char| first.is_ascii_digit()) && digits.bytes().all(is_inner)
}

fn is_api_version(version: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'/' | b'-');
    version.starts_with(|first: char| first.is_ascii_lowercase()) && version.bytes().all(is_inner)
}

#[cfg(test)]
mod tests {
    use crate::Config;
    use crate::config::binding::read_partly;
    use crate::config::tests::described;
    use crate::report::Origin;

    fn binding(spec: &str) -> Config {
        let head = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  ";
        Config {
            path: "landfall.yaml".into(),
            content: format!("{head}{spec}\n").into_bytes(),
        }
    }

    #[track_caller]
    fn check_error(helm: &str, expected: &[&str]) {
        let config = binding(&format!("{{tool: helm, helm: {helm}}}"));
        let (_, found) = read_partly(&config, Origin::Binding);
        let text = str::from_utf8(&config.content).unwrap();
        assert_eq!(described(text, &found), expected);
    }

    #[test]
    fn reads_what_argo_cd_calls_by_the_same_names() {
        let config = binding(
            "tool: helm
  helm:
    releaseName: web-1.prod
    namespace: web
    valueFiles: [values-prod.yaml, ../shared/values.yaml]
    kubeVersion: v1.33.2+k3s1
    apiVersions: [monitoring.coreos.com/v1/ServiceMonitor]
    skipCrds: true",
        );
        let (binding, found) = read_partly(&config, Origin::Binding);
        assert!(found.is_empty());
        let options = binding.chart;
        assert_eq!(options.release_name.as_deref(), Some("web-1.prod"));
        assert_eq!(options.namespace.as_deref(), Some("web"));
        let files: Vec<_> = options.value_files.iter().map(|file| &*file.0).collect();
        assert_eq!(files, ["values-prod.yaml", "../shared/values.yaml"]);
        assert_eq!(options.kube_version.as_deref(), Some("v1.33.2+k3s1"));
        assert_eq!(
            options.api_versions,
            ["monitoring.coreos.com/v1/ServiceMonitor"]
        );
        assert!(options.skip_crds && !options.skip_tests);
    }

    #[test]
    fn no_value_can_be_a_flag_of_helm() {
        for helm in [
            "{releaseName: --post-renderer}",
            "{releaseName: a b}",
            "{namespace: a.b}",
            "{namespace: -n}",
            "{kubeVersion: --validate}",
            "{kubeVersion: '1.3,2'}",
            "{apiVersions: ['a/v1,b']}",
            "{apiVersions: [--debug]}",
        ] {
            let config = binding(&format!("{{tool: helm, helm: {helm}}}"));
            let (_, found) = read_partly(&config, Origin::Binding);
            assert!(!found.is_empty(), "{helm}");
        }
    }

    #[test]
    fn reports_mistakes_with_their_location() {
        check_error(
            "{valueFiles: [https://example.com/values.yaml]}",
            &[
                "\"https://example.com/values.yaml\": `https://example.com/values.yaml` is not a relative path; write it relative to the Binding's folder, with `/` between folders",
            ],
        );
        check_error(
            "{releaseName: Web}",
            &[
                "\"Web\": invalid value `Web` for `releaseName`; use lower case letters, digits, `-` and `.`, at most 53 characters",
            ],
        );
        check_error(
            "{valuesFiles: []}",
            &[
                "\"valuesFiles\": unknown key `valuesFiles` in `spec.helm`; did you mean `valueFiles`?",
            ],
        );
    }

    #[test]
    fn options_without_the_tool_are_an_error() {
        let config = binding("helm: {releaseName: web}");
        let (_, found) = read_partly(&config, Origin::Binding);
        let text = str::from_utf8(&config.content).unwrap();
        assert_eq!(
            described(text, &found),
            [
                "\"{\": `spec.helm` has no effect without `spec.tool: helm`; set `tool: helm` in `spec`"
            ]
        );
    }
}
