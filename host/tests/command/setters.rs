//! `--in-place` alone: setter comments get the values of today, and can be
//! rendered again; references stay as they are.

use crate::run::{INFRA, Place, Run, config_map};

const VPC: &str = "vpc: vpc-old  # landfall: ${infra.vpc_id}";

fn place() -> Option<Place> {
    let place = Place::with_infra()?;
    place.write("app/a.yaml", config_map(VPC));
    place.write("app/b.yaml", config_map("vpc: ${infra.vpc_id}"));
    place.write("app/c.yaml", config_map("vpc: vpc-old  # by hand"));
    Some(place)
}

fn render(place: &Place, flags: &[&str]) -> Run {
    place.run(&[&["render", "app", "-b", "infra.json", "--in-place"], flags].concat())
}

#[test]
fn the_value_is_new_and_the_comment_stays() {
    let Some(place) = place() else { return };
    assert_eq!(render(&place, &[]).text(), "");
    assert_eq!(
        place.read("app/a.yaml"),
        config_map("vpc: vpc-0ab1  # landfall: ${infra.vpc_id}")
    );
    assert_eq!(place.read("app/b.yaml"), config_map("vpc: ${infra.vpc_id}"));
    assert_eq!(
        place.read("app/c.yaml"),
        config_map("vpc: vpc-old  # by hand")
    );
}

#[test]
fn again_and_with_the_outputs_of_tomorrow() {
    let Some(place) = place() else { return };
    render(&place, &[]).text();
    let once = place.snapshot();
    let modified = || {
        std::fs::metadata(place.at("app/a.yaml"))
            .unwrap()
            .modified()
            .unwrap()
    };
    let written = modified();
    assert!(render(&place, &["-v"]).stderr.contains("0 files changed"));
    assert_eq!(place.snapshot(), once);
    assert_eq!(modified(), written);

    place.write("infra.json", INFRA.replace("vpc-0ab1", "vpc-new"));
    assert!(render(&place, &["-v"]).stderr.contains("1 file changed"));
    assert_eq!(
        place.read("app/a.yaml"),
        config_map("vpc: vpc-new  # landfall: ${infra.vpc_id}")
    );
}

#[test]
fn references_too_where_that_is_asked() {
    let Some(place) = place() else { return };
    assert_eq!(render(&place, &["--replace-references"]).text(), "");
    assert_eq!(
        place.read("app/a.yaml"),
        config_map("vpc: vpc-0ab1  # landfall: ${infra.vpc_id}")
    );
    assert_eq!(place.read("app/b.yaml"), config_map("vpc: vpc-0ab1"));
}

#[test]
fn patterns() {
    let Some(place) = place() else { return };
    place.write(
        "app/a.yaml",
        config_map(
            "url: \"vpc-old.internal:80\" # landfall: ${infra.vpc_id}.internal:${infra.replicas}",
        ),
    );
    render(&place, &[]).text();
    assert_eq!(
        place.read("app/a.yaml"),
        config_map(
            "url: \"vpc-0ab1.internal:3\" # landfall: ${infra.vpc_id}.internal:${infra.replicas}"
        )
    );
}

#[test]
fn a_reference_that_stays_is_not_looked_up() {
    let Some(place) = place() else { return };
    // It belongs to whoever renders it, with other outputs perhaps.
    place.write("app/b.yaml", config_map("vpc: ${infra.not_published_yet}"));
    assert_eq!(render(&place, &[]).text(), "");
    assert_eq!(
        place.read("app/b.yaml"),
        config_map("vpc: ${infra.not_published_yet}")
    );
}

#[test]
fn a_setter_without_its_output_leaves_all_files() {
    let Some(place) = place() else { return };
    place.write(
        "app/c.yaml",
        config_map("vpc: vpc-old  # landfall: ${infra.nothing}"),
    );
    let before = place.snapshot();
    render(&place, &[]).input_error(&["unknown-output", "app/c.yaml:6:", "nothing was rendered"]);
    assert_eq!(place.snapshot(), before);
}

#[test]
fn a_sensitive_output_is_refused() {
    let Some(place) = place() else { return };
    place.write(
        "app/a.yaml",
        config_map("password: old  # landfall: ${infra.password}"),
    );
    let before = place.snapshot();
    let run = render(&place, &[]);
    run.input_error(&["app/a.yaml:6:"]);
    assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);
    assert_eq!(place.snapshot(), before);
}

#[test]
fn a_stream_keeps_its_comments_too() {
    let Some(place) = place() else { return };
    let run = place.run(&["render", "app/a.yaml", "-b", "infra.json"]);
    assert_eq!(
        run.text(),
        config_map("vpc: vpc-0ab1  # landfall: ${infra.vpc_id}")
    );
}
