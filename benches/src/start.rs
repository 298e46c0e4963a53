//! From start to exit: the smallest test of each family, run many times, fastest and middle time.

use crate::families::FAMILIES;
use crate::process::run;
use crate::table::milliseconds;
use crate::tools::{Case, Group, Tool};
use std::fs;
use std::io;
use std::path::Path;

/// Prints wall and CPU time from start to exit for the smallest test of every family.
pub(crate) fn start(tools: &[Tool], times: u32, folder: &Path) -> io::Result<()> {
    println!(
        "{:<20} {:<9} {:>11} {:>11} {:>11}   (ms, {times} runs)",
        "test", "tool", "wall least", "wall middle", "cpu middle"
    );
    for family in FAMILIES {
        let n = family.sizes.0.max(2);
        let path = folder.join(format!("{}-{n}.litmus", family.name));
        fs::write(&path, (family.test)(n))?;
        let case = Case { path, group: Group { model: Some(family.model.to_owned()), mixed: family.mixed } };
        for tool in tools {
            let (mut walls, mut cpus) = (Vec::new(), Vec::new());
            for _ in 0..times {
                let Some(mut command) = tool.call(&case) else { break };
                let done = run(&mut command, None)?;
                walls.push(done.wall);
                cpus.push(done.cpu);
            }
            walls.sort_unstable();
            cpus.sort_unstable();
            let (Some(least), middle) = (walls.first(), walls.len() / 2) else { continue };
            let figures = [*least, walls[middle], cpus[middle]].map(milliseconds);
            let [least, wall, cpu] = figures;
            println!("{:<20} {:<9} {least:>11} {wall:>11} {cpu:>11}", format!("{}-{n}", family.name), tool.name());
        }
    }
    Ok(())
}
