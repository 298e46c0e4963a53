//! Executions to draw.

use crate::litmus::linked;
use crate::verify::Head;
use crate::{Options, Session};
use treville_base::Cancel;
use treville_explain::{Drawer, ShowOptions, ShownExecutions, decided, show_program};
use treville_task::{About, CheckError, Silent, Subject, SubjectKind};

impl Session<'_> {
    /// The executions of a file, ready to be drawn.
    ///
    /// # Errors
    /// If the file, the model or a relation's name is wrong, or the engine cannot list executions.
    pub fn show(&self, path: &str, show: &ShowOptions, options: &Options) -> Result<ShownExecutions, CheckError> {
        let cancel = self.cancel_for(&options.run);
        if self.registry.front_end(path)?.info().kind == SubjectKind::Program {
            return self.show_program(path, show, options, cancel);
        }
        let test = self.read_asking(path, show.outcome.as_deref(), options, &cancel)?;
        let prepared = self.prepare_test(test, options, cancel)?;
        let drawer = Drawer::new(linked(&prepared.job), prepared.engine(), &show.relations)?;
        decided(&prepared.run(&Silent)?.0)?;
        drawer.show(show)
    }

    /// The execution in which a program fails, or, if none does or all are wanted, complete ones.
    fn show_program(
        &self,
        path: &str,
        show: &ShowOptions,
        options: &Options,
        cancel: Cancel,
    ) -> Result<ShownExecutions, CheckError> {
        let complete = show.complete_executions()?;
        let Subject::Program(code) = self.read(path, options, &cancel)? else {
            return Err(CheckError::usage(format!("{path} is no program")));
        };
        let mut head = Head::default();
        let finding = self.check_program(&code, options, complete, cancel, &Silent, &mut head)?;
        // The program as it was checked.
        let About::Program(code) = &finding.about else { return Err(CheckError::usage("")) };
        show_program(path, code, &head.model, &finding.outcome, show)
    }
}
