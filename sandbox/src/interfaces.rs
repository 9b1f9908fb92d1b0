//! The interfaces that a module need not have.

use wasmtime::component::InstancePre;

use crate::Stopped;
use crate::bindings::exports::landfall::config_management::{
    adoption, application_sets, assist, exports, migration, outputs, parts, resource_outputs,
    stand_ins,
};

macro_rules! interfaces {
    ($($interface:ident $name:literal),*) => {
        /// Where the functions of each interface are in a module; `None` if it lacks one of them.
        #[derive(Clone)]
        pub(crate) struct Interfaces {
            $($interface: Option<$interface::GuestIndices>,)*
        }

        impl Interfaces {
            pub(crate) fn new<T>(module: &InstancePre<T>) -> Self {
                Self {
                    $($interface: $interface::GuestIndices::new(module).ok(),)*
                }
            }

            $(pub(crate) fn $interface(&self) -> Result<&$interface::GuestIndices, Stopped> {
                (self.$interface.as_ref()).ok_or(Stopped::NoInterface { name: $name })
            })*
        }
    };
}

interfaces!(
    outputs "outputs",
    resource_outputs "resource-outputs",
    exports "exports",
    adoption "adoption",
    migration "migration",
    application_sets "application-sets",
    stand_ins "stand-ins",
    parts "parts",
    assist "assist"
);
