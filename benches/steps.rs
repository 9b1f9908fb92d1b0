//! What each step of a render costs, without the steps inside it: one file rendered by the
//! library as native code, which marks its steps with the feature `steps`.
//!
//! `cargo bench --bench steps -- MANIFESTS OUTPUTS` writes tab-separated cells for
//! `cargo xtask bench steps`: the step, median and least milliseconds, its budget, their ratio,
//! and allocations for each reference. `cargo test` only checks that every step is entered.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "it reads files and the clock, prints what it measured, and ends where it cannot"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use landfall::{Answer, Content, File, OutputsDocument, RenderStep, Request, Sources, observe};

/// How often the file is rendered with and without measuring steps, in turn.
const ROUNDS: usize = 25;

/// The budget of a whole render in milliseconds: about as much as GNU envsubst takes.
const WHOLE: f64 = 45.0;

/// The budgets of the steps in milliseconds, in their order, on two quiet cores of 2.6 GHz for
/// the text `dense`.
const BUDGETS: [f64; RenderStep::ALL.len()] =
    [5.0, 2.0, 12.0, 3.0, 4.0, 3.0, 3.0, 2.0, 3.0, 5.0, 3.0];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut files = arguments
        .iter()
        .filter(|argument| !argument.starts_with("--"));
    if !arguments.contains(&"--bench".to_owned()) {
        check();
    } else if let (Some(manifests), Some(outputs)) = (files.next(), files.next()) {
        let read = |path| std::fs::read(path).expect("a file that can be read");
        measure(&read(manifests), read(outputs));
    } else {
        panic!("usage: cargo bench --bench steps -- MANIFESTS OUTPUTS");
    }
}

/// Renders a file and returns the time, without that of copying it.
fn render(manifests: &[u8], request: &Request) -> (Duration, Answer) {
    let file = File {
        path: "manifests.yaml".into(),
        content: manifests.to_vec(),
    };
    let start = Instant::now();
    let answer = Sources::new(vec![file]).generate(request);
    let time = start.elapsed();
    let answer = answer.unwrap_or_else(|found| panic!("{:?}", found.first()));
    (time, answer)
}

fn request(outputs: Vec<u8>) -> Request {
    Request {
        outputs: vec![OutputsDocument {
            name: "infra".into(),
            path: "infra.json".into(),
            content: outputs,
            ..OutputsDocument::default()
        }],
        ..Request::default()
    }
}

fn measure(manifests: &[u8], outputs: Vec<u8>) {
    let request = request(outputs);
    // The first render is a warm-up, and has an edit for each reference.
    let references = match &render(manifests, &request).1.sources[..] {
        [Content::Edited(edits)] => edits.len() as f64,
        _ => panic!("nothing was substituted"),
    };
    let (mut whole, mut rounds) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (time, answer) = render(manifests, &request);
        whole.push(time);
        drop(answer);
        rounds.push(record(|| drop(render(manifests, &request))));
    }
    let print = |name: &str, budget: f64, mut times: Vec<Duration>, allocations: u32| {
        times.sort();
        let [median, least] = [times.len() / 2, 0].map(|at| times[at].as_secs_f64() * 1e3);
        let mark = if median <= budget { "✓" } else { "✗" };
        println!(
            "{name}\t{median:.2}\t{least:.2}\t{budget}\t{:.2}\t{mark}\t{:.2}",
            median / budget,
            f64::from(allocations) / references
        );
    };
    let mut sum = 0;
    for (step, budget) in RenderStep::ALL.into_iter().zip(BUDGETS) {
        let times = rounds.iter().map(|costs| costs[step as usize].time);
        let allocations = rounds[0][step as usize].allocations;
        sum += allocations;
        print(&format!("{step:?}"), budget, times.collect(), allocations);
    }
    print("whole render", WHOLE, whole, sum);
}

/// Checks that a render enters every step and that each has its own costs.
fn check() {
    let manifests = b"kind: Service\nvpc: ${infra.vpc} # kept\n";
    let outputs = br#"{"vpc": {"sensitive": false, "type": "string", "value": "a"}}"#;
    let request = request(outputs.to_vec());
    let costs = record(|| drop(render(manifests, &request)));
    for step in RenderStep::ALL {
        assert!(costs[step as usize].entered > 0, "{step:?} is not entered");
    }
    let locate = costs[RenderStep::Locate as usize].allocations;
    let all: u32 = costs.iter().map(|cost| cost.allocations).sum();
    assert!(
        0 < locate && locate < all,
        "the tree, and others, take memory"
    );
    println!("steps: all {} are entered", RenderStep::ALL.len());
}

thread_local! {
    static ALLOCATIONS: Cell<u32> = const { Cell::new(0) };
    static RECORDER: RefCell<Recorder> = RefCell::new(Recorder::new());
}

/// The system's allocator, counting what each thread allocates and grows.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call is passed on unchanged, and counting allocates nothing.
#[allow(unsafe_code, reason = "only an allocator can count allocations")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: as required of the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: as required of the caller.
        unsafe { System.realloc(old, layout, size) }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: as required of the caller.
        unsafe { System.dealloc(old, layout) }
    }
}

/// The cost of one step in one render.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    time: Duration,
    allocations: u32,
    /// How often the step began or went on.
    entered: u32,
}

/// The costs of all steps, by their numbers.
type Costs = [Cost; RenderStep::ALL.len()];

struct Recorder {
    costs: Costs,
    current: RenderStep,
    since: Instant,
    allocations: u32,
}

impl Recorder {
    fn new() -> Self {
        Self {
            costs: Costs::default(),
            current: RenderStep::Answer,
            since: Instant::now(),
            allocations: ALLOCATIONS.get(),
        }
    }

    fn change_to(&mut self, step: RenderStep) {
        let (now, allocations) = (Instant::now(), ALLOCATIONS.get());
        let cost = &mut self.costs[self.current as usize];
        cost.time += now - self.since;
        cost.allocations += allocations - self.allocations;
        cost.entered += 1;
        (self.current, self.since, self.allocations) = (step, now, allocations);
    }
}

fn observer(step: RenderStep) {
    RECORDER.with_borrow_mut(|recorder| recorder.change_to(step));
}

/// Returns the costs of all steps of `render`, without that of measuring them.
fn record(render: impl FnOnce()) -> Costs {
    RECORDER.set(Recorder::new());
    observe(Some(observer));
    render();
    observe(None);
    observer(RenderStep::Answer);
    let mut costs = RECORDER.with_borrow(|recorder| recorder.costs);
    // The least of several series: other work on the machine only adds to it.
    let own = (0..40).map(|_| {
        let start = Instant::now();
        for _ in 0..500 {
            std::hint::black_box(observer as fn(RenderStep))(RenderStep::Find);
        }
        start.elapsed() / 500
    });
    let own = own.min().unwrap_or_default();
    for cost in &mut costs {
        cost.time = cost.time.saturating_sub(own * cost.entered);
    }
    costs
}
