//! Runs one child process after the other and says what each cost: CPU time (user and system, of all its threads) and the
//! time from start to exit. A CPU limit is inherited through the process limits, so nothing has to poll or kill.

use nix::sys::resource::{Resource, UsageWho, getrlimit, getrusage, setrlimit};
use std::io;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What a run gave and cost.
pub(crate) struct Run {
    pub(crate) cpu: Duration,
    pub(crate) wall: Duration,
    pub(crate) stdout: String,
    /// The status of a run that ended by itself; a run over the limit has none.
    pub(crate) status: Option<i32>,
}

/// Runs a command to its end, or to `limit` seconds of CPU.
pub(crate) fn run(command: &mut Command, limit: Option<u64>) -> io::Result<Run> {
    let before = children()?;
    let start = Instant::now();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let (soft, hard) = getrlimit(Resource::RLIMIT_CPU)?;
    if let Some(seconds) = limit {
        setrlimit(Resource::RLIMIT_CPU, seconds.min(hard), hard)?;
    }
    let child = command.spawn();
    setrlimit(Resource::RLIMIT_CPU, soft, hard)?;
    let output = child?.wait_with_output()?;
    let wall = start.elapsed();
    Ok(Run {
        cpu: children()?.saturating_sub(before),
        wall,
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        status: output.status.code(),
    })
}

/// How much memory, in kilobytes, the largest child had at a time, of those that have ended.
pub(crate) fn peak_of_children() -> io::Result<u64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    Ok(u64::try_from(usage.max_rss()).unwrap_or(0))
}

/// The CPU time of all children that have ended.
fn children() -> io::Result<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let micros = |t: nix::sys::time::TimeVal| {
        let whole = u64::try_from(t.tv_sec()).unwrap_or(0) * 1_000_000;
        Duration::from_micros(whole + u64::try_from(t.tv_usec()).unwrap_or(0))
    };
    Ok(micros(usage.user_time()) + micros(usage.system_time()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_ends_by_itself_or_at_its_limit() {
        let quick = run(Command::new("sh").args(["-c", "echo done; exit 3"]), Some(10)).unwrap();
        assert_eq!((quick.stdout.as_str(), quick.status), ("done\n", Some(3)));
        let endless = run(Command::new("sh").args(["-c", "while :; do :; done"]), Some(1)).unwrap();
        assert_eq!(endless.status, None);
        assert!(endless.cpu >= Duration::from_millis(900), "{:?}", endless.cpu);
    }
}
