//! `treville engines`: what there is, one line each.

use crate::exit::Status;
use crate::output::Output;
use treville_verifier::Registry;
use treville_verifier::report::Paint;
use treville_verifier::task::EngineInfo;

pub(crate) fn run(output: &mut Output) -> Status {
    let palette = output.palette;
    let registry = Registry::default();
    let rows = registry.engines.iter().map(|engine| &engine.info);
    let row = |info: &EngineInfo| format!("{}{}\n", palette.pad(Paint::Strong, info.name, 12), info.about);
    let text: String = rows.map(row).collect();
    let _ = output.print(&text);
    Status::Yes
}
