//! `cargo xtask demo`: builds landfall and shows it at work on examples/karpenter.

use std::process::Command;

use anyhow::{Result, bail};

use crate::dist;
use crate::process::run as run_program;
use crate::workspace::Workspace;

/// The example, from the repository's root.
const EXAMPLE: &str = "examples/karpenter";

/// The scenes of the demonstration, in order.
const SCENES: &[Scene] = &[
    Scene {
        caption: "A manifest with references, as it is in Git:",
        program: "cat",
        arguments: &["app/nodes/ec2nodeclass.yaml"],
    },
    Scene {
        caption: "The same one rendered: types kept, quotes where YAML needs them, comments untouched:",
        program: dist::COMMAND,
        arguments: &[
            "render",
            "app/nodes/ec2nodeclass.yaml",
            "-b",
            "infra=outputs/terraform.json",
        ],
    },
    Scene {
        caption: "What came from where in all of app/:",
        program: dist::COMMAND,
        arguments: &["explain", "app"],
    },
];

struct Scene {
    caption: &'static str,
    program: &'static str,
    arguments: &'static [&'static str],
}

/// Builds what is needed and plays the scenes.
///
/// # Errors
/// The build fails, or a scene does.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if let Some(argument) = arguments.first() {
        bail!("`{argument}` is not understood: usage: cargo xtask demo");
    }
    let workspace = Workspace::current()?;
    let landfall = dist::unoptimized_command(&workspace)?;
    for scene in SCENES {
        println!(
            "\n# {}\n$ {} {}",
            scene.caption,
            scene.program,
            scene.arguments.join(" ")
        );
        let ours = scene.program == dist::COMMAND;
        let mut command = if ours {
            Command::new(&landfall)
        } else {
            Command::new(scene.program)
        };
        run_program(
            command
                .args(scene.arguments)
                .current_dir(workspace.root.join(EXAMPLE)),
        )?;
    }
    println!("\n# Try more in {EXAMPLE}; its README explains how.");
    Ok(())
}
