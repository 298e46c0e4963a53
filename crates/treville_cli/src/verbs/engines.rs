//! `treville engines`: what there is, one line each.

use crate::exit::Status;
use crate::output::Output;
use treville::report::Paint;

pub(crate) fn run(output: &mut Output) -> Status {
    let palette = output.palette;
    let row = |e: &treville::EngineEntry| format!("{}{}\n", palette.pad(Paint::Strong, e.name, 12), e.about);
    let text: String = treville::engines().iter().map(row).collect();
    let _ = output.print(&text);
    Status::Yes
}
