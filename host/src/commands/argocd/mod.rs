//! `landfall argocd`: writes what installs landfall in Argo CD, and checks that it works.

pub(super) mod doctor;

use crate::argocd::configuration;
use crate::exit::Exit;
use crate::settings::ArgocdInstall;

use super::session::Session;

pub(super) fn install(session: Session, install: &ArgocdInstall) -> Exit {
    session.write_text(Exit::Done, &configuration(install))
}
