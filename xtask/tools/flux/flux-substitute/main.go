// Command flux-substitute is what Flux's kustomize-controller does to a manifest
// with spec.postBuild, as a program: one JSON request a line on stdin, one JSON
// answer a line on stdout, in the same order.
//
//	{"document": YAML, "variables": {NAME: VALUE}, "strict": BOOL}
//	{"template": TEXT, "variables": {NAME: VALUE}, "strict": BOOL}
//	{"yaml": TEXT}
//
// A document is read as kustomize's resource, substituted by
// github.com/fluxcd/pkg/kustomize and decoded as the controller decodes the
// resources that it applies; the answer is {"json": OBJECT}. Without variables
// nothing is substituted. A template is text for github.com/fluxcd/pkg/envsubst
// alone; the answer is {"text": TEXT}. With "lineBreaks": true the values keep
// theirs, which Flux never does. YAML is read as Flux reads the text that it has
// substituted in: {"json": VALUE}. Any request may be answered by
// {"error": MESSAGE} instead.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/fluxcd/pkg/envsubst"
	"github.com/fluxcd/pkg/kustomize"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/provider"
	"sigs.k8s.io/yaml"
)

type request struct {
	Document   *string           `json:"document"`
	Template   *string           `json:"template"`
	YAML       *string           `json:"yaml"`
	Variables  map[string]string `json:"variables"`
	Strict     bool              `json:"strict"`
	LineBreaks bool              `json:"lineBreaks"`
}

type answer struct {
	JSON  json.RawMessage `json:"json,omitempty"`
	Text  *string         `json:"text,omitempty"`
	Error string          `json:"error,omitempty"`
}

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "flux-substitute:", err)
		os.Exit(1)
	}
}

func serve(input io.Reader, output io.Writer) error {
	// Not a Scanner: a manifest may be longer than any limit of a line.
	lines := bufio.NewReader(input)
	answers := bufio.NewWriter(output)
	encoder := json.NewEncoder(answers)
	encoder.SetEscapeHTML(false)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var asked request
			if err := json.Unmarshal(line, &asked); err != nil {
				return fmt.Errorf("line %d: %w", number, err)
			}
			if err := encoder.Encode(respond(asked)); err != nil {
				return err
			}
			// Whoever waits for this answer before asking again gets it now.
			if lines.Buffered() == 0 {
				if err := answers.Flush(); err != nil {
					return err
				}
			}
		}
		if errors.Is(err, io.EOF) {
			return answers.Flush()
		}
		if err != nil {
			return err
		}
	}
}

func respond(asked request) (given answer) {
	// Flux's own code panics on some texts (`${v:1:9223372036854775807}`).
	defer func() {
		if reason := recover(); reason != nil {
			given = answer{Error: fmt.Sprintf("panic: %v", reason)}
		}
	}()
	var decoded []byte
	var err error
	switch {
	case asked.Template != nil:
		text, err := substituted(asked)
		if err != nil {
			return answer{Error: err.Error()}
		}
		return answer{Text: &text}
	case asked.Document != nil:
		decoded, err = applied(asked)
	case asked.YAML != nil:
		decoded, err = yaml.YAMLToJSON([]byte(*asked.YAML))
	default:
		err = errors.New("no document, no template and no YAML")
	}
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{JSON: decoded}
}

// applied returns the object that the controller applies.
func applied(asked request) ([]byte, error) {
	resource, err := provider.NewDefaultDepProvider().GetResourceFactory().FromBytes([]byte(*asked.Document))
	if err != nil {
		return nil, err
	}
	substitute := map[string]any{}
	for name, value := range asked.Variables {
		substitute[name] = value
	}
	kustomization := unstructured.Unstructured{Object: map[string]any{
		"spec": map[string]any{"postBuild": map[string]any{"substitute": substitute}},
	}}
	// A dry run reads no ConfigMap and no Secret from a cluster: the variables are
	// all in spec.postBuild.substitute.
	result, err := kustomize.SubstituteVariables(context.Background(), nil, kustomization, resource,
		kustomize.SubstituteWithDryRun(true), kustomize.SubstituteWithStrict(asked.Strict))
	if err != nil {
		return nil, err
	}
	// No resource: its label or annotation disables the substitution, and the
	// controller keeps the one that it has.
	if result == nil {
		result = resource
	}
	written, err := result.AsYAML()
	if err != nil {
		return nil, err
	}
	return yaml.YAMLToJSON(written)
}

// substituted returns the text of a template. As in the controller, every line
// feed in a value is dropped.
func substituted(asked request) (string, error) {
	output, err := envsubst.Eval(*asked.Template, func(name string) (string, bool) {
		value, found := asked.Variables[name]
		if !asked.LineBreaks {
			value = strings.ReplaceAll(value, "\n", "")
		}
		return value, found || !asked.Strict
	})
	// A substring counts bytes. JSON would hide half a character as U+FFFD.
	if err == nil && !utf8.ValidString(output) {
		err = errors.New("the result is not UTF-8")
	}
	return output, err
}
