//! What each step of a render costs.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use landfall::{Step, observe};

use crate::allocations::allocations;

/// The cost of one step in one render.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    pub(crate) time: Duration,
    pub(crate) allocations: u64,
    /// How often the step began or went on.
    pub(crate) entered: u32,
}

/// The costs of all steps, by their numbers.
pub(crate) type Costs = [Cost; Step::ALL.len()];

struct Recorder {
    costs: Costs,
    current: Step,
    since: Instant,
    allocations: u64,
}

impl Recorder {
    fn new() -> Self {
        Self {
            costs: Costs::default(),
            current: Step::Answer,
            since: Instant::now(),
            allocations: allocations(),
        }
    }

    fn change_to(&mut self, step: Step) {
        let (now, allocations) = (Instant::now(), allocations());
        let cost = &mut self.costs[self.current as usize];
        cost.time += now - self.since;
        cost.allocations += allocations - self.allocations;
        cost.entered += 1;
        (self.current, self.since, self.allocations) = (step, now, allocations);
    }
}

thread_local! {
    static RECORDER: RefCell<Recorder> = RefCell::new(Recorder::new());
}

fn observer(step: Step) {
    RECORDER.with_borrow_mut(|recorder| recorder.change_to(step));
}

/// Returns the costs of all steps of `render`, without that of measuring them.
pub(crate) fn record(render: impl FnOnce()) -> Costs {
    RECORDER.set(Recorder::new());
    observe(Some(observer));
    render();
    observe(None);
    observer(Step::Answer);
    let mut costs = RECORDER.with_borrow(|recorder| recorder.costs);
    let own = cost_of_measuring();
    for cost in &mut costs {
        cost.time = cost.time.saturating_sub(own * cost.entered);
    }
    costs
}

/// Returns the time that entering a step takes: the minimum of several series, because other
/// work on the machine only adds to it.
fn cost_of_measuring() -> Duration {
    const TIMES: u32 = 500;
    RECORDER.set(Recorder::new());
    let series = || {
        let start = Instant::now();
        for _ in 0..TIMES {
            std::hint::black_box(observer as fn(Step))(Step::Find);
        }
        start.elapsed() / TIMES
    };
    (0..40).map(|_| series()).min().unwrap_or_default()
}
