//! The mounts of the container, from `/proc/self/mountinfo` (proc_pid_mountinfo(5)).

/// All mounts, later ones over earlier ones.
#[derive(Debug, Default)]
pub(super) struct Mounts(Vec<Mount>);

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mount {
    /// The mounted folder within its file system. For an `emptyDir` on a node's disk it
    /// ends with `/kubernetes.io~empty-dir/` and the name of the volume.
    pub(super) folder: String,
    /// Where it is mounted.
    point: String,
    pub(super) is_read_only: bool,
}

impl Mounts {
    /// Parses mounts. Skips lines that are not mounts.
    pub(super) fn parse(text: &str) -> Self {
        Self(text.lines().filter_map(Mount::parse).collect())
    }

    /// Returns what is mounted at exactly this path.
    pub(super) fn at(&self, path: &str) -> Option<&Mount> {
        self.0.iter().rev().find(|mount| mount.point == path)
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Mount {
    /// Parses `36 35 98:0 /folder /point rw,noatime master:1 - ext4 /dev/vda rw`.
    fn parse(line: &str) -> Option<Self> {
        let (mount, file_system) = line.split_once(" - ")?;
        let mut fields = mount.split(' ').skip(3);
        let (folder, point, options) = (fields.next()?, fields.next()?, fields.next()?);
        let is_read_only = |options: &str| options.split(',').any(|option| option == "ro");
        Some(Self {
            folder: unescaped(folder),
            point: unescaped(point),
            is_read_only: is_read_only(options)
                || file_system.split(' ').next_back().is_some_and(is_read_only),
        })
    }

    /// Returns the name of the `emptyDir` volume, where it can be seen.
    pub(super) fn empty_dir(&self) -> Option<&str> {
        let (_, name) = self.folder.rsplit_once("/kubernetes.io~empty-dir/")?;
        (!name.contains('/')).then_some(name)
    }
}

/// Replaces the octal escapes of spaces, tabs, line breaks and backslashes.
fn unescaped(field: &str) -> String {
    ["\\040", "\\011", "\\012", "\\134"]
        .iter()
        .zip([" ", "\t", "\n", "\\"])
        .fold(field.to_owned(), |field, (escape, char)| {
            field.replace(escape, char)
        })
}

#[cfg(test)]
mod tests {
    use super::Mounts;

    #[test]
    fn the_last_mount_at_a_path_counts() {
        let mounts = Mounts::parse(
            "22 1 0:5 / / ro,relatime - overlay overlay rw,lowerdir=x\n\
             23 22 259:1 /var/lib/kubelet/pods/3f/volumes/kubernetes.io~empty-dir/tmp /tmp rw - ext4 /dev/a rw\n\
             24 22 0:7 / /tmp rw shared:1 - tmpfs tmpfs ro,size=1k\n\
             25 22 0:7 / /a\\040b rw - tmpfs tmpfs rw\n\
             nonsense\n",
        );
        assert!(mounts.at("/").unwrap().is_read_only);
        let tmp = mounts.at("/tmp").unwrap();
        assert!(tmp.is_read_only);
        assert_eq!(tmp.empty_dir(), None);
        assert!(mounts.at("/a b").is_some());
        assert_eq!(mounts.at("/home"), None);
    }

    #[test]
    fn the_volume_of_an_empty_dir_is_recognized() {
        let mounts = Mounts::parse(
            "23 22 259:1 /var/lib/kubelet/pods/3f/volumes/kubernetes.io~empty-dir/tmp /tmp rw - ext4 /dev/a rw",
        );
        assert_eq!(mounts.at("/tmp").unwrap().empty_dir(), Some("tmp"));
    }
}
