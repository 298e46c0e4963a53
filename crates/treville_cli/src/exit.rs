//! Exit statuses, in one place.

use std::process::ExitCode;
use treville_verifier::task::{CheckError, Report, VerdictKind};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// The answer is yes, or the work was done.
    Yes,
    /// A violation, a condition that is not validated, undefined behaviour; a difference between models.
    No,
    /// The input or the call is wrong.
    Wrong,
    /// A limit was reached, or the engine refuses the task.
    Unknown,
    /// A mistake of our own: engines disagree, or a check has failed.
    Internal,
}

impl Status {
    pub(crate) fn of(verdict: VerdictKind) -> Status {
        match verdict {
            VerdictKind::Yes => Status::Yes,
            VerdictKind::No | VerdictKind::Undefined => Status::No,
            VerdictKind::Unknown => Status::Unknown,
            VerdictKind::Error => Status::Wrong,
        }
    }

    pub(crate) fn of_report(report: &Report) -> Status {
        if report.is_internal() { Status::Internal } else { Status::of(report.verdict()) }
    }

    pub(crate) fn of_failure(failure: &CheckError) -> Status {
        if failure.is_internal() { Status::Internal } else { Status::of(failure.verdict) }
    }

    /// The worse of two: internal, then wrong, then no, then unknown, then yes.
    pub(crate) fn and(self, other: Status) -> Status {
        let badness = |status| match status {
            Status::Yes => 0,
            Status::Unknown => 1,
            Status::No => 2,
            Status::Wrong => 3,
            Status::Internal => 4,
        };
        if badness(other) > badness(self) { other } else { self }
    }

    pub(crate) fn code(self) -> u8 {
        match self {
            Status::Yes => 0,
            Status::No => 1,
            Status::Wrong => 2,
            Status::Unknown => 3,
            Status::Internal => 4,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status.code())
    }
}

#[cfg(test)]
mod tests {
    use super::Status::{Internal, No, Unknown, Wrong, Yes};

    #[test]
    fn the_worst_wins() {
        let order = [Yes, Unknown, No, Wrong, Internal];
        for (i, a) in order.into_iter().enumerate() {
            for (j, b) in order.into_iter().enumerate() {
                assert_eq!(a.and(b), order[i.max(j)]);
            }
        }
    }
}
