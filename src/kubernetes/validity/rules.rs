//! The rules of the API server for fields of Kubernetes' own types. `cargo xtask fields`
//! includes this file: the table of types has the rule of each field.

/// The number of the first rule in the table. Smaller ones are types without a rule.
pub(crate) const FIRST_RULE: u16 = 8;

/// What a field with a rule holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    String,
    Integer,
    /// A number or a string.
    Either,
}

macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $name:ident => $base:ident,)+) => {
        /// A rule for the value of a field.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum FieldRule { $($(#[doc = $doc])+ $name,)+ }

        impl FieldRule {
            /// Every rule; the first has the number [`FIRST_RULE`].
            pub(crate) const ALL: &[FieldRule] = &[$(FieldRule::$name,)+];

            pub(crate) const fn base(self) -> Base {
                match self { $(FieldRule::$name => Base::$base,)+ }
            }
        }
    };
}

rules! {
    /// The value of a label. Its key must be a [`FieldRule::LabelKey`].
    LabelValue => String,
    /// The key of a label, with or without a prefix.
    LabelKey => String,
    /// The value of an annotation: any text, but its key must be that of a label, in any case.
    Annotation => String,
    /// The key of an annotation.
    AnnotationKey => String,
    /// An entry of a ConfigMap or Secret: any text, but its key must be a
    /// [`FieldRule::DataKey`].
    Data => String,
    /// The key of an entry of a ConfigMap or Secret.
    DataKey => String,
    /// An entry of the `binaryData` of a ConfigMap.
    BinaryData => String,
    /// The name of a resource: the rule is that of its kind.
    Name => String,
    /// The beginning of such a name.
    GenerateName => String,
    /// The beginning of a name that is a DNS subdomain.
    NamePrefix => String,
    /// The name of a CronJob, to which its Jobs add eleven characters.
    CronJobName => String,
    /// A DNS label (RFC 1123).
    DnsLabel => String,
    /// A DNS label that begins with a letter (RFC 1035).
    DnsLabel1035 => String,
    /// A DNS subdomain (RFC 1123): labels and dots.
    DnsSubdomain => String,
    /// The host of an Ingress: a DNS subdomain, perhaps with `*.` before it, but no address.
    IngressHost => String,
    /// A DNS subdomain that may end with a dot.
    DnsName => String,
    /// A name that can be part of a path.
    PathSegment => String,
    /// The name of an environment variable.
    EnvName => String,
    /// The name of a port.
    PortName => String,
    /// An IP address.
    Ip => String,
    /// The address of a Service, also none.
    ClusterIp => String,
    /// A network: an address and the length of its prefix.
    Cidr => String,
    /// The number of a port.
    Port => Integer,
    /// The number of a port, 0 for none.
    PortOrZero => Integer,
    /// An integer that is not negative.
    NotNegative => Integer,
    /// A number or name of a port.
    PortOrName => Either,
    /// A quantity of a resource.
    Quantity => Either,
    /// A number of pods, or a percentage of them.
    CountOrPercent => Either,
    /// When an image is pulled.
    PullPolicy => String,
    /// When the containers of a pod are restarted.
    RestartPolicy => String,
    /// Where a pod resolves names.
    DnsPolicy => String,
    /// A protocol over IP.
    Protocol => String,
    /// The scheme of a probe.
    Scheme => String,
    /// How a Service is reached.
    ServiceType => String,
    /// Which endpoints a Service takes.
    TrafficPolicy => String,
    /// What keeps a client at one endpoint.
    SessionAffinity => String,
    /// How many families of addresses a Service has.
    IpFamilyPolicy => String,
    /// A family of addresses.
    IpFamily => String,
    /// How a path of an Ingress matches.
    PathType => String,
    /// What a NetworkPolicy limits.
    PolicyType => String,
    /// How a Deployment replaces its pods.
    DeploymentStrategy => String,
    /// How a DaemonSet or StatefulSet replaces its pods.
    UpdateStrategy => String,
    /// In which order a StatefulSet makes its pods.
    PodManagement => String,
    /// What happens to a run of a CronJob while another one runs.
    ConcurrencyPolicy => String,
    /// How a volume may be mounted.
    AccessMode => String,
    /// What happens to a volume after its claim.
    ReclaimPolicy => String,
    /// What a volume is to a container.
    VolumeMode => String,
    /// When a volume is bound.
    BindingMode => String,
    /// What a taint does.
    TaintEffect => String,
    /// What happens to a pod that would spread badly.
    Unsatisfiable => String,
}

impl FieldRule {
    /// Returns the only texts that the field accepts; none if its rule is another one.
    pub(crate) const fn choices(self) -> &'static [&'static str] {
        match self {
            Self::PullPolicy => &["Always", "IfNotPresent", "Never"],
            Self::RestartPolicy => &["Always", "OnFailure", "Never"],
            Self::DnsPolicy => &["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"],
            Self::Protocol => &["TCP", "UDP", "SCTP"],
            Self::Scheme => &["HTTP", "HTTPS"],
            Self::ServiceType => &["ClusterIP", "NodePort", "LoadBalancer", "ExternalName"],
            Self::TrafficPolicy => &["Cluster", "Local"],
            Self::SessionAffinity => &["None", "ClientIP"],
            Self::IpFamilyPolicy => &["SingleStack", "PreferDualStack", "RequireDualStack"],
            Self::IpFamily => &["IPv4", "IPv6"],
            Self::PathType => &["Exact", "Prefix", "ImplementationSpecific"],
            Self::PolicyType => &["Ingress", "Egress"],
            Self::DeploymentStrategy => &["RollingUpdate", "Recreate"],
            Self::UpdateStrategy => &["RollingUpdate", "OnDelete"],
            Self::PodManagement => &["OrderedReady", "Parallel"],
            Self::ConcurrencyPolicy => &["Allow", "Forbid", "Replace"],
            Self::AccessMode => &[
                "ReadWriteOnce",
                "ReadOnlyMany",
                "ReadWriteMany",
                "ReadWriteOncePod",
            ],
            Self::ReclaimPolicy => &["Delete", "Retain", "Recycle"],
            Self::VolumeMode => &["Filesystem", "Block"],
            Self::BindingMode => &["Immediate", "WaitForFirstConsumer"],
            Self::TaintEffect => &["NoSchedule", "PreferNoSchedule", "NoExecute"],
            Self::Unsatisfiable => &["DoNotSchedule", "ScheduleAnyway"],
            _ => &[],
        }
    }
}

impl FieldRule {
    /// Returns the rule with this number in the table.
    pub(crate) fn of_number(number: u16) -> Option<Self> {
        let nth = number.checked_sub(FIRST_RULE)?;
        Self::ALL.get(usize::from(nth)).copied()
    }
}
