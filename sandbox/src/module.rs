//! Modules: loaded once, started many times.

use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

use wasmtime::component::{Component, Linker};
use wasmtime::{Engine, Store};

use crate::bindings::PluginPre;
use crate::config::config;
use crate::in_place::{self, InPlace};
use crate::limits::{Limits, Meter};
use crate::{Plugin, Stopped};

/// A module that is ready to start. Cheap to clone, and shared by threads.
#[derive(Clone)]
pub struct Module {
    engine: Engine,
    plugin: PluginPre<Meter>,
}

impl Module {
    /// Loads what [`Module::precompile`] made.
    ///
    /// # Errors
    /// [`LoadError::Unreadable`] when the bytes were made by another version of
    /// wasmtime, with another configuration or for another processor; else as
    /// [`LoadError`] says.
    ///
    /// # Safety
    /// The bytes are machine code, of which only the version and configuration are
    /// checked. They must have been made by this crate and have been out of the
    /// reach of others since.
    pub unsafe fn precompiled(bytes: &[u8]) -> Result<Self, LoadError> {
        let engine = readable(Engine::new(&config()))?;
        // SAFETY: the caller's promise.
        let component = readable(unsafe { Component::deserialize(&engine, bytes) })?;
        Self::link(engine, &component)
    }

    /// The same for bytes that [`crate::embed!`] made a part of the program: their
    /// code is run where it lies, so that loading costs the same however large the
    /// module is. Where that is not possible, and from the second time on, they are
    /// copied.
    ///
    /// # Errors
    /// As [`Module::precompiled`].
    ///
    /// # Safety
    /// As [`Module::precompiled`]; and the bytes lie in memory that nobody writes.
    pub unsafe fn embedded(bytes: &'static [u8]) -> Result<Self, LoadError> {
        if !in_place::claim(bytes) {
            // SAFETY: the caller's promise.
            return unsafe { Self::precompiled(bytes) };
        }
        let mut config = config();
        config.with_custom_code_memory(Some(Arc::new(InPlace)));
        let engine = readable(Engine::new(&config))?;
        // SAFETY: the caller's promise; `'static` outlives every module.
        let component =
            readable(unsafe { Component::deserialize_raw(&engine, NonNull::from(bytes)) })?;
        Self::link(engine, &component)
    }

    /// Compiles a component for this process.
    ///
    /// # Errors
    /// As [`LoadError`] says.
    #[cfg(feature = "compiler")]
    pub fn compile(component: &[u8]) -> Result<Self, LoadError> {
        let engine = compiler()?;
        let component = readable(Component::from_binary(&engine, component))?;
        Self::link(engine, &component)
    }

    /// Compiles a component ahead of time, for any machine of this architecture
    /// and operating system. Equal bytes for equal components.
    ///
    /// # Errors
    /// [`LoadError::Unreadable`] when it is no component.
    #[cfg(feature = "compiler")]
    pub fn precompile(component: &[u8]) -> Result<Vec<u8>, LoadError> {
        readable(compiler()?.precompile_component(component))
    }

    fn link(engine: Engine, component: &Component) -> Result<Self, LoadError> {
        if let Some((name, _)) = component.component_type().imports(&engine).next() {
            return Err(LoadError::Import {
                name: name.to_owned(),
            });
        }
        let plugin = Linker::new(&engine)
            .instantiate_pre(component)
            .and_then(PluginPre::new)
            .map_err(|error| LoadError::World {
                message: format!("{error:#}"),
            })?;
        Ok(Self { engine, plugin })
    }

    /// Starts the module with a memory of its own.
    ///
    /// # Errors
    /// [`Stopped`] when the memory that it starts with is over the limit, or when
    /// it traps at once.
    pub fn start(&self, limits: &Limits) -> Result<Plugin, Stopped> {
        let mut store = Store::new(&self.engine, Meter::new(limits.memory));
        store.limiter(|meter| meter);
        let exports = match self.plugin.instantiate(&mut store) {
            Ok(exports) => exports,
            Err(error) => return Err(Stopped::from_error(&error, store.data())),
        };
        Ok(Plugin::new(store, exports))
    }
}

#[cfg(feature = "compiler")]
fn compiler() -> Result<Engine, LoadError> {
    readable(crate::config::compiling().and_then(|config| Engine::new(&config)))
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Module").finish_non_exhaustive()
    }
}

/// Why a module cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The bytes are no component, or were compiled for something else.
    #[error("the module cannot be read: {message}")]
    Unreadable {
        /// What wasmtime says of them.
        message: String,
    },
    /// The module wants something from outside; landfall's modules get nothing.
    #[error("the module imports {name:?}; modules may import nothing")]
    Import {
        /// The name of the first import.
        name: String,
    },
    /// The module does not export the world `landfall:config-management/plugin`.
    #[error("the module does not export landfall:config-management/plugin: {message}")]
    World {
        /// What is missing.
        message: String,
    },
}

fn readable<T>(loaded: wasmtime::Result<T>) -> Result<T, LoadError> {
    loaded.map_err(|error| LoadError::Unreadable {
        message: format!("{error:#}"),
    })
}
