//! Modules, which are loaded once and can be started many times.

use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

use wasmtime::component::{Component, InstancePre, Linker};
use wasmtime::{Engine, Store};

use crate::bindings::exports::landfall::config_management::{krm_function, rendering};
use crate::config::config;
use crate::epochs;
use crate::in_place::{self, InPlace};
use crate::interfaces::Interfaces;
use crate::limits::{Limits, Meter, OnTimeout};
use crate::plugin::{Exports, armed};
use crate::{Plugin, Stopped};

/// A loaded module. It is cheap to clone and can be shared by threads.
#[derive(Clone)]
pub struct Module {
    engine: Engine,
    instance: InstancePre<Meter>,
    rendering: rendering::GuestIndices,
    krm_function: krm_function::GuestIndices,
    interfaces: Interfaces,
    on_timeout: OnTimeout,
}

impl Module {
    /// Loads a module that [`Module::precompile`] compiled for the same `on_timeout`.
    ///
    /// # Errors
    /// [`LoadError::Unreadable`] if the bytes were compiled by another version of wasmtime,
    /// with another configuration or for another processor; see also [`LoadError`].
    ///
    /// # Safety
    /// The bytes are machine code, and only their version and configuration are checked.
    /// They must have been compiled by this crate and not have been modified since.
    pub unsafe fn precompiled(bytes: &[u8], on_timeout: OnTimeout) -> Result<Self, LoadError> {
        let engine = readable(Engine::new(&config(on_timeout)))?;
        // SAFETY: guaranteed by the caller.
        let component = readable(unsafe { Component::deserialize(&engine, bytes) })?;
        Self::link(engine, &component, on_timeout)
    }

    /// Loads a module that [`crate::embed!`] embedded into the program, compiled for
    /// [`OnTimeout::EndProcess`]. The code is run in
    /// place, so that the time to load does not depend on the size of the module. If this is
    /// not possible, and on every call after the first, the code is copied.
    ///
    /// # Errors
    /// As [`Module::precompiled`].
    ///
    /// # Safety
    /// As [`Module::precompiled`]; and the bytes must be in read-only memory.
    pub unsafe fn embedded(bytes: &'static [u8]) -> Result<Self, LoadError> {
        let on_timeout = OnTimeout::EndProcess;
        if !in_place::claim(bytes) {
            // SAFETY: guaranteed by the caller.
            return unsafe { Self::precompiled(bytes, on_timeout) };
        }
        let mut config = config(on_timeout);
        config.with_custom_code_memory(Some(Arc::new(InPlace)));
        let engine = readable(Engine::new(&config))?;
        // SAFETY: guaranteed by the caller; `'static` outlives every module.
        let component =
            readable(unsafe { Component::deserialize_raw(&engine, NonNull::from(bytes)) })?;
        Self::link(engine, &component, on_timeout)
    }

    /// Compiles a component for this process.
    ///
    /// # Errors
    /// See [`LoadError`].
    #[cfg(feature = "compiler")]
    pub fn compile(component: &[u8], on_timeout: OnTimeout) -> Result<Self, LoadError> {
        let engine = compiler(on_timeout)?;
        let component = readable(Component::from_binary(&engine, component))?;
        Self::link(engine, &component, on_timeout)
    }

    /// Compiles a component ahead of time, for any machine with this architecture and
    /// operating system. The result is deterministic.
    ///
    /// # Errors
    /// [`LoadError::Unreadable`] if the bytes are not a component.
    #[cfg(feature = "compiler")]
    pub fn precompile(component: &[u8], on_timeout: OnTimeout) -> Result<Vec<u8>, LoadError> {
        readable(compiler(on_timeout)?.precompile_component(component))
    }

    fn link(
        engine: Engine,
        component: &Component,
        on_timeout: OnTimeout,
    ) -> Result<Self, LoadError> {
        if let Some((name, _)) = component.component_type().imports(&engine).next() {
            return Err(LoadError::Import {
                name: name.to_owned(),
            });
        }
        let linked = Linker::new(&engine)
            .instantiate_pre(component)
            .and_then(|instance| {
                let rendering = rendering::GuestIndices::new(&instance)?;
                let krm_function = krm_function::GuestIndices::new(&instance)?;
                Ok((rendering, krm_function, instance))
            });
        let (rendering, krm_function, instance) = linked.map_err(|error| LoadError::World {
            message: format!("{error:#}"),
        })?;
        if on_timeout == OnTimeout::ReturnError {
            readable(epochs::count(&engine))?;
        }
        Ok(Self {
            interfaces: Interfaces::new(&instance),
            engine,
            instance,
            rendering,
            krm_function,
            on_timeout,
        })
    }

    /// Starts an instance of the module with its own memory.
    ///
    /// # Errors
    /// [`Stopped`] if its initial memory exceeds the limit, or if it traps.
    pub fn start(&self, limits: &Limits) -> Result<Plugin, Stopped> {
        let mut store = Store::new(&self.engine, Meter::new(limits, self.on_timeout));
        store.limiter(|meter| meter);
        let started = self
            .instance
            .instantiate(armed(&mut store))
            .and_then(|instance| {
                Ok(Exports {
                    instance,
                    rendering: self.rendering.load(&mut store, &instance)?,
                    krm_function: self.krm_function.load(&mut store, &instance)?,
                    interfaces: self.interfaces.clone(),
                })
            });
        match started {
            Ok(exports) => Ok(Plugin::new(store, exports)),
            Err(error) => Err(Stopped::from_error(&error, store.data())),
        }
    }
}

#[cfg(feature = "compiler")]
fn compiler(on_timeout: OnTimeout) -> Result<Engine, LoadError> {
    readable(crate::config::compiling(on_timeout).and_then(|config| Engine::new(&config)))
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Module").finish_non_exhaustive()
    }
}

/// Why a module cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The bytes are not a component, or were compiled for another environment.
    #[error("the module cannot be read: {message}")]
    Unreadable {
        /// The message of wasmtime.
        message: String,
    },
    /// The module has an import, which is not allowed.
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
