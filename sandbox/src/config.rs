//! The configuration of wasmtime. Compiling and running a module must use the same
//! configuration, or loading fails.

use wasmtime::{Config, WasmBacktraceDetails};

use crate::OnTimeout;

/// Returns the configuration for running modules.
pub(crate) fn config(on_timeout: OnTimeout) -> Config {
    let mut config = Config::new();
    config.epoch_interruption(on_timeout == OnTimeout::ReturnError);
    // Deterministic results on every processor.
    config.wasm_relaxed_simd(false);
    // The default depends on an environment variable, and a module compiled with another
    // value would be rejected.
    config.wasm_backtrace_details(WasmBacktraceDetails::Disable);
    // Users cannot make use of offsets into the module, and their tables are an eighth of
    // its size.
    config.wasm_backtrace_max_frames(None);
    config.generate_address_map(false);
    // Used by debuggers. Required on Windows.
    config.native_unwind_info(cfg!(windows));
    // A module is started only a few times, so copying its data is faster than creating
    // and mapping a memory file for copy-on-write (10 of 260 µs).
    config.memory_init_cow(false);
    #[cfg(target_os = "linux")]
    config.with_host_memory(std::sync::Arc::new(crate::memory::LargePages));
    config
}

/// Returns the configuration for compiling modules, with additional compiler settings.
#[cfg(feature = "compiler")]
pub(crate) fn compiling(on_timeout: OnTimeout) -> wasmtime::Result<Config> {
    let mut config = config(on_timeout);
    // Set explicitly although it is the default: otherwise wasmtime would use all processor
    // features of the build machine, and the code would be rejected on an older processor.
    let target = target_lexicon::HOST.to_string();
    config.target(&target)?;
    config.cranelift_nan_canonicalization(true);
    if matches!(
        target_lexicon::HOST.architecture,
        target_lexicon::Architecture::X86_64
    ) {
        // x86-64-v2, which every server since 2009 supports. Without SSE4.1, many vector
        // instructions would become calls.
        for flag in [
            "has_sse3",
            "has_ssse3",
            "has_sse41",
            "has_sse42",
            "has_popcnt",
            "has_cmpxchg16b",
        ] {
            // SAFETY: these flags are processor features, which are checked when the code is
            // loaded.
            unsafe { config.cranelift_flag_enable(flag) };
        }
    }
    Ok(config)
}
