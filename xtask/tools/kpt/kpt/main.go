// kpt's `fn` commands. The whole program cannot be built: its command `alpha rollouts` is in a
// module that the proxy does not serve.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/kptdev/kpt/commands/fn"
	"github.com/kptdev/kpt/pkg/lib/errors"
	"github.com/kptdev/kpt/pkg/lib/errors/resolver"
	"github.com/kptdev/kpt/pkg/printer"
	"github.com/spf13/cobra"
)

func main() {
	os.Exit(run())
}

func run() int {
	kpt := &cobra.Command{Use: "kpt", SilenceUsage: true, SilenceErrors: true}
	kpt.PersistentFlags().BoolVar(&printer.TruncateOutput, "truncate-output", true, "")
	ctx := printer.WithContext(context.Background(), printer.New(os.Stdout, os.Stderr))
	kpt.AddCommand(fn.GetCommand(ctx, "kpt"))
	err := kpt.Execute()
	if err == nil {
		return 0
	}
	// As kpt's own main does.
	if known, ok := resolver.ResolveError(err); ok {
		if known.Message != "" {
			fmt.Fprintf(os.Stderr, "%s \n", known.Message)
		}
		return known.ExitCode
	}
	if inner, ok := errors.UnwrapErrors(err); ok {
		err = inner
	}
	fmt.Fprintf(os.Stderr, "Error: %s \n", err)
	return 1
}
