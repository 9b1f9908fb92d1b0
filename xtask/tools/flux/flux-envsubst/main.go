// Command flux-envsubst is Flux's text substitution as a program: the text on
// stdin comes out on stdout with its variables replaced.
//
//	flux-envsubst [-vars FILE] [-strict] < TEXT
//
// FILE holds NAME=VALUE lines (blank lines and lines that begin with # are
// skipped); without it the variables are the process environment's. In either
// case kustomize-controller's treatment of a value is kept: every line break in
// it is dropped (fluxcd/pkg kustomize/kustomize_varsub.go).
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/fluxcd/pkg/envsubst"
)

func main() {
	vars := flag.String("vars", "", "`file` of NAME=VALUE lines; default: the environment")
	strict := flag.Bool("strict", false, "fail on a variable that is not set, as kustomize-controller does by default since 1.9")
	flag.Parse()
	if err := substitute(*vars, *strict); err != nil {
		fmt.Fprintln(os.Stderr, "flux-envsubst:", err)
		os.Exit(1)
	}
}

func substitute(path string, strict bool) error {
	lookup := os.LookupEnv
	if path != "" {
		variables, err := read(path)
		if err != nil {
			return err
		}
		lookup = func(name string) (string, bool) {
			value, found := variables[name]
			return value, found
		}
	}
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	output, err := envsubst.Eval(string(text), func(name string) (string, bool) {
		value, found := lookup(name)
		// A variable that is not set is an empty string, and strict mode hears of it.
		return strings.ReplaceAll(value, "\n", ""), found || !strict
	})
	if err != nil {
		return err
	}
	_, err = os.Stdout.WriteString(output)
	return err
}

func read(path string) (map[string]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	variables := map[string]string{}
	lines := bufio.NewScanner(file)
	// A value may be as long as a line of Linux' argument space, and longer.
	lines.Buffer(nil, 64<<20)
	for number := 1; lines.Scan(); number++ {
		line := lines.Text()
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, found := strings.Cut(line, "=")
		if !found {
			return nil, fmt.Errorf("%s:%d: no = in this line", path, number)
		}
		variables[name] = value
	}
	return variables, lines.Err()
}
