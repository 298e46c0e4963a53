//! The graph of one execution out of the class that a graph with unknown values stands for: all words are numbers, and nothing
//! is left to decide.

use super::{EventId, Graph, INIT, Made, NOT_SAVED};
use crate::rules::Rules;

impl Graph {
    /// This graph where each word has the given value, without its decisions; `number` gets the new number of each event,
    /// and of a decision [`INIT`].
    pub(crate) fn with_values(
        &self,
        rules: &Rules,
        value: &mut dyn FnMut(u64) -> u64,
        number: &mut Vec<EventId>,
    ) -> Graph {
        let decides = |e: EventId| self.label(e).kind.decides();
        number.clear();
        number.push(INIT);
        let mut kept = INIT + 1;
        for e in 1..self.len() {
            number.push(if decides(e) { INIT } else { kept });
            kept += EventId::from(!decides(e));
        }
        let mut out = Graph::default();
        out.begin_like(self, INIT, number);
        for e in (1..self.len()).filter(|e| !decides(*e)) {
            out.append_copy(self, e, number);
            let new = number[e as usize] as usize;
            let thread = usize::from(out.labels[new].thread);
            let pos = out.threads[thread].events.len() as u16 - 1;
            let label = &mut out.labels[new];
            (label.pos, label.value, label.saved) = (pos, value(label.value), NOT_SAVED);
        }
        out.saved.clear();
        for thread in out.threads.iter_mut().filter(|t| t.present) {
            thread.args = thread.args.iter().map(|word| value(*word)).collect();
        }
        for (location, kept) in self.locations.iter().zip(&mut out.locations) {
            kept.writes.clear();
            kept.writes.extend(location.writes.iter().map(|w| number[*w as usize]));
        }
        out.made.clear();
        out.made.extend(self.made.iter().map(|made| {
            let (alloc, free) = (number[made.alloc as usize], number[made.free as usize]);
            Made { alloc, free, ..*made }
        }));
        out.settle_clocks(rules);
        for e in (1..out.len()).filter(|e| out.label(*e).part() == 0 && out.label(*e).parts() > 1).collect::<Vec<_>>() {
            out.unite(e);
        }
        out
    }
}
