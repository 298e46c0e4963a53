//! Random programs, as far as an analysis sees them: events under conditions, with addresses that may differ from run to run.

use crate::dice::Dice;
use std::collections::BTreeMap;
use treville_base::Name;
use treville_event::{BaseRel, EventSet, Kind, Relation};
use treville_relations::{Facts, Known};

#[derive(Clone, Debug)]
pub(crate) struct Happening {
    pub(crate) thread: Option<u32>,
    pub(crate) kind: Kind,
    /// Where it may be; one of these.
    pub(crate) places: Vec<u64>,
    /// Tags that it has, and whether it always has.
    pub(crate) tags: Vec<(Name, bool)>,
    /// The decisions on which it depends and how each must fall.
    pub(crate) when: Vec<(usize, bool)>,
}

impl Happening {
    pub(crate) fn happens(&self, decisions: &[bool]) -> bool {
        self.when.iter().all(|&(d, value)| decisions[d] == value)
    }

    fn sets(&self) -> &'static [&'static str] {
        match self.kind {
            Kind::Init => &["IW", "W", "M"],
            Kind::Read => &["R", "M"],
            Kind::Write => &["W", "M"],
            Kind::Update => &["R", "W", "M"],
            Kind::Fence => &["F"],
            _ => &[],
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) events: Vec<Happening>,
    pub(crate) n_decisions: usize,
    /// Dependencies and the like inside threads, with whether they are always there.
    pub(crate) inside: BTreeMap<BaseRel, Vec<(usize, usize, bool)>>,
}

const INSIDE: [BaseRel; 5] = [BaseRel::Addr, BaseRel::Data, BaseRel::Ctrl, BaseRel::Amo, BaseRel::SameInstance];

/// Up to three threads of `length` events each, or as few as a third of that, on two locations, under up to two decisions.
pub(crate) fn random_program(dice: &mut Dice, tags: &[Name], length: usize) -> Program {
    let n_decisions = dice.roll(3);
    let init = |place: u64| Happening {
        thread: None,
        kind: Kind::Init,
        places: vec![place],
        tags: Vec::new(),
        when: Vec::new(),
    };
    let mut events = vec![init(0), init(8)];
    for thread in 0..2 + dice.roll(2) {
        for _ in 0..=length / 3 + dice.roll(length - length / 3) {
            events.push(random_event(dice, thread as u32, tags, n_decisions));
        }
    }
    let mut program = Program { events, n_decisions, inside: BTreeMap::new() };
    for rel in INSIDE {
        let mut pairs = Vec::new();
        for (a, b) in program.order() {
            if dice.chance(15) {
                pairs.push((a, b, dice.chance(60)));
            }
        }
        program.inside.insert(rel, pairs);
    }
    program
}

fn random_event(dice: &mut Dice, thread: u32, tags: &[Name], n_decisions: usize) -> Happening {
    let kind = *dice.pick(&[Kind::Read, Kind::Read, Kind::Write, Kind::Write, Kind::Fence]);
    let places = match dice.roll(4) {
        _ if kind == Kind::Fence => Vec::new(),
        0 => vec![0, 8],
        1 => vec![8],
        _ => vec![0],
    };
    let mut carried: Vec<(Name, bool)> = Vec::new();
    while !tags.is_empty() && dice.chance(60) && carried.len() < 3 {
        let tag = dice.pick(tags).clone();
        if carried.iter().all(|(t, _)| *t != tag) {
            carried.push((tag, dice.chance(85)));
        }
    }
    let mut when = Vec::new();
    for decision in 0..n_decisions {
        if dice.chance(35) {
            when.push((decision, dice.chance(50)));
        }
    }
    Happening { thread: Some(thread), kind, places, tags: carried, when }
}

impl Program {
    pub(crate) fn n(&self) -> usize {
        self.events.len()
    }

    /// Program order, whatever happens.
    pub(crate) fn order(&self) -> Vec<(usize, usize)> {
        self.pairs(|p, a, b| a < b && p.same_thread(a, b))
    }

    fn same_thread(&self, a: usize, b: usize) -> bool {
        self.events[a].thread.is_some() && self.events[a].thread == self.events[b].thread
    }

    fn pairs(&self, holds: impl Fn(&Program, usize, usize) -> bool) -> Vec<(usize, usize)> {
        let n = self.n();
        (0..n).flat_map(|a| (0..n).map(move |b| (a, b))).filter(|&(a, b)| holds(self, a, b)).collect()
    }

    fn relation(&self, holds: impl Fn(&Program, usize, usize) -> bool) -> Relation {
        Relation::from_pairs(self.n(), self.pairs(holds))
    }

    fn may_meet(&self, a: usize, b: usize) -> bool {
        self.events[a].places.iter().any(|p| self.events[b].places.contains(p))
    }

    fn must_meet(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.events[a].places, &self.events[b].places);
        a.len() == 1 && a == b
    }

    fn conflict(&self, a: usize, b: usize) -> bool {
        self.events[a].when.iter().any(|&(d, v)| self.events[b].when.contains(&(d, !v)))
    }

    pub(crate) fn facts(&self) -> Facts {
        let n = self.n();
        let mut facts = Facts::new(n);
        facts.implies = self.relation(|p, a, b| p.events[b].when.iter().all(|c| p.events[a].when.contains(c)));
        facts.exclusive = self.relation(Program::conflict);
        let kind = |e: usize| self.events[e].kind;
        facts.reads = EventSet::from_members(n, (0..n).filter(|&e| kind(e).reads()));
        facts.writes = EventSet::from_members(n, (0..n).filter(|&e| kind(e).writes()));
        for (e, event) in self.events.iter().enumerate() {
            let kinds = event.sets().iter().map(|k| (Name::new(k), true));
            let last = kind(e).writes().then(|| (Name::new("FW"), false));
            for (name, always) in kinds.chain(event.tags.iter().cloned()).chain(last) {
                let empty = || Known { may: EventSet::new(n), must: EventSet::new(n) };
                let known = facts.sets.entry(name).or_insert_with(empty);
                known.may.insert(e);
                if always {
                    known.must.insert(e);
                }
            }
        }
        let exactly = |r: Relation| Known { may: r.clone(), must: r };
        let meet = |p: &Program, a: usize, b: usize| p.may_meet(a, b);
        let place = |p: &Program, a: usize| !p.events[a].places.is_empty();
        facts.rels.insert(BaseRel::Po, exactly(Relation::from_pairs(n, self.order())));
        facts.rels.insert(BaseRel::Int, exactly(self.relation(Program::same_thread)));
        facts.rels.insert(BaseRel::Ext, exactly(self.relation(|p, a, b| p.events[a].thread != p.events[b].thread)));
        facts.rels.insert(BaseRel::Si, exactly(self.relation(|p, a, b| a == b && place(p, a))));
        let same = |a: usize, b: usize| a == b;
        facts.rels.insert(
            BaseRel::Loc,
            Known {
                may: self.relation(meet),
                must: self.relation(|p, a, b| p.must_meet(a, b) || same(a, b) && place(p, a)),
            },
        );
        let reads_from = |p: &Program, a: usize, b: usize| {
            p.events[a].kind.writes() && p.events[b].kind.reads() && a != b && p.may_meet(a, b)
        };
        facts.rels.insert(BaseRel::Rf, Known { may: self.relation(reads_from), must: Relation::new(n) });
        let both_write = |p: &Program, a: usize, b: usize| {
            p.events[a].kind.writes() && p.events[b].kind.writes() && a != b && p.events[b].kind != Kind::Init
        };
        facts.rels.insert(
            BaseRel::Co,
            Known {
                may: self.relation(|p, a, b| both_write(p, a, b) && p.may_meet(a, b)),
                must: self
                    .relation(|p, a, b| both_write(p, a, b) && p.must_meet(a, b) && p.events[a].kind == Kind::Init),
            },
        );
        for (&rel, pairs) in &self.inside {
            let of = |sure: bool| pairs.iter().filter(move |p| p.2 || !sure).map(|&(a, b, _)| (a, b));
            let known = Known { may: Relation::from_pairs(n, of(false)), must: Relation::from_pairs(n, of(true)) };
            facts.rels.insert(rel, known);
        }
        facts.rels.insert(BaseRel::DifferentValues, Known { may: Relation::full(n), must: Relation::new(n) });
        facts
    }
}
