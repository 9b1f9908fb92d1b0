// Command argocd-cmp-server is Argo CD's config management plugin server, alone:
// the whole argocd binary does not compile from its Go module, this command does.
package main

import (
	"os"

	"github.com/argoproj/argo-cd/v3/cmd/argocd-cmp-server/commands"
)

func main() {
	if err := commands.NewCommand().Execute(); err != nil {
		os.Exit(1)
	}
}
