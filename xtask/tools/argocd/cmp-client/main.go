// Command cmp-client calls a running argocd-cmp-server the way Argo CD's
// repo-server does: with Argo CD's own client, its own archiver and its own
// reading of the answer (reposerver/repository/repository.go and
// util/app/discovery/discovery.go, v3.2.12).
//
//	cmp-client -socket FILE [-timeout 60s] config
//	cmp-client -socket FILE -repo DIR -app DIR [-env NAME=VALUE]... match | parameters | generate
//	cmp-client -calls N …
//
// One line of JSON goes to stdout: {"answer": …} with exit status 0, or
// {"error": {"code": …, "message": …}} with exit status 1 when the server, or
// what repo-server does with the server's answer, refuses. Usage errors exit 2.
//
// With -calls, the call is made N times, one after the other, and a second line of JSON
// has the time of each: {"milliseconds": […]}. The first line is the last call's, or
// that of the first one that was refused.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"google.golang.org/grpc/status"
)

// failure is what a call came to when it was refused.
type failure struct {
	// Code is the gRPC status code's name, or "Client" for what repo-server
	// itself refuses.
	Code    string `json:"code"`
	Message string `json:"message"`
}

// outcome is the one line on stdout.
type outcome struct {
	Answer any      `json:"answer,omitempty"`
	Error  *failure `json:"error,omitempty"`
}

// timings is the second line on stdout: how long each call took.
type timings struct {
	Milliseconds []float64 `json:"milliseconds"`
}

// names collects a flag that may be given many times.
type names []string

func (n *names) String() string { return fmt.Sprint(*n) }

func (n *names) Set(value string) error {
	*n = append(*n, value)
	return nil
}

func main() {
	var c call
	var timeout time.Duration
	var count int
	flags := flag.NewFlagSet("cmp-client", flag.ContinueOnError)
	flags.StringVar(&c.socket, "socket", "", "the server's unix `socket`")
	flags.StringVar(&c.repo, "repo", "", "the `folder` that is streamed: the repository, or the common root of manifest-generate-paths")
	flags.StringVar(&c.app, "app", "", "the application's `folder`, inside repo")
	flags.Var(&c.env, "env", "`NAME=VALUE` for the plugin's commands; may be given many times")
	flags.DurationVar(&timeout, "timeout", 60*time.Second, "the call's deadline, repo-server's default")
	flags.IntVar(&count, "calls", 0, "make this `number` of calls, and time them")
	if err := flags.Parse(os.Args[1:]); err != nil {
		os.Exit(2)
	}
	run, known := calls[flags.Arg(0)]
	if !known || flags.NArg() != 1 || c.socket == "" {
		fmt.Fprintln(os.Stderr, "usage: cmp-client -socket FILE [-repo DIR -app DIR] [-env NAME=VALUE]... [-timeout 60s] [-calls N] config|match|parameters|generate")
		os.Exit(2)
	}

	var out outcome
	times := timings{Milliseconds: []float64{}}
	for {
		started := time.Now()
		out = c.once(timeout, run)
		times.Milliseconds = append(times.Milliseconds, time.Since(started).Seconds()*1e3)
		if out.Error != nil || len(times.Milliseconds) >= count {
			break
		}
	}
	lines := []any{out}
	if count > 0 {
		lines = append(lines, times)
	}
	for _, line := range lines {
		if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	if out.Error != nil {
		os.Exit(1)
	}
}

// once runs one call within the deadline.
func (c call) once(timeout time.Duration, run method) outcome {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	answer, err := c.connected(ctx, run)
	if err != nil {
		return outcome{Error: &failure{Code: code(err), Message: err.Error()}}
	}
	return outcome{Answer: answer}
}

// code names the gRPC status that an error carries.
func code(err error) string {
	var carrier interface{ GRPCStatus() *status.Status }
	if errors.As(err, &carrier) {
		return carrier.GRPCStatus().Code().String()
	}
	return "Client"
}
