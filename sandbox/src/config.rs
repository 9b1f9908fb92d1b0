//! The one configuration of wasmtime: what compiles a module and what runs it
//! must agree, or loading fails.

use wasmtime::{Config, WasmBacktraceDetails};

/// The configuration that runs modules.
pub(crate) fn config() -> Config {
    let mut config = Config::new();
    // Equal bytes in, equal bytes out, on every processor.
    config.wasm_relaxed_simd(false);
    // Else an environment variable decides, and a module compiled under another
    // value of it is refused.
    config.wasm_backtrace_details(WasmBacktraceDetails::Disable);
    // Who reads "the module trapped" has no use for offsets into the module; the
    // tables for them are an eighth of it.
    config.wasm_backtrace_max_frames(None);
    config.generate_address_map(false);
    // Tables for debuggers; Windows has to have them.
    config.native_unwind_info(cfg!(windows));
    // A module is started once or a few times: copying its data costs less than
    // making a file in memory and mapping that, which shared data would need
    // (10 of 260 µs).
    config.memory_init_cow(false);
    #[cfg(target_os = "linux")]
    config.with_host_memory(std::sync::Arc::new(crate::memory::LargePages));
    config
}

/// The same, with what only the compiler needs to know.
#[cfg(feature = "compiler")]
pub(crate) fn compiling() -> wasmtime::Result<Config> {
    let mut config = config();
    // Named, although it is this machine's own: wasmtime then takes none of the
    // build machine's processor features into the code, which would be refused on
    // an older processor.
    let target = target_lexicon::HOST.to_string();
    config.target(&target)?;
    config.cranelift_nan_canonicalization(true);
    if matches!(
        target_lexicon::HOST.architecture,
        target_lexicon::Architecture::X86_64
    ) {
        // x86-64-v2: every server since 2009. Vectors need it: without SSE4.1 many
        // of their instructions become calls.
        for flag in [
            "has_sse3",
            "has_ssse3",
            "has_sse41",
            "has_sse42",
            "has_popcnt",
            "has_cmpxchg16b",
        ] {
            // SAFETY: these flags name processor features and are checked against
            // the processor when the code is loaded.
            unsafe { config.cranelift_flag_enable(flag) };
        }
    }
    Ok(config)
}
