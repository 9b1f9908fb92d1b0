#!/bin/sh
# Renders the manifests of a chart with the arguments of --post-renderer-args.
exec 3>&1
report=$(landfall render - --stdin-filename helm-template "$@" 2>&1 >&3)
code=$?

# Helm drops what a post-renderer writes to standard error. So it is appended to the file that
# LANDFALL_REPORT names, or to Helm's own standard error, or shown on the terminal.
if [ -n "$report" ]; then
    for to in "${LANDFALL_REPORT:-}" "/proc/$PPID/fd/2" /dev/tty; do
        [ -n "$to" ] || continue
        # Helm writes its own error over what is appended to a file (`2> file`).
        if [ "$to" != "${LANDFALL_REPORT:-}" ] && [ -f "$to" ]; then
            report=$(printf '%800s\n%s' '' "$report")
        fi
        (printf '%s\n' "$report" >>"$to") 2>/dev/null && break
    done
fi
exit "$code"
