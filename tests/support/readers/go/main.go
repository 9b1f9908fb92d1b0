// Command readers reads YAML with go-yaml v2, go-yaml v3 and sigs.k8s.io/yaml and reports
// where they read something other than expected.
//
// Standard input: one JSON object a line,
//
//	{"parts": ["- k: a\n", …], "expect": [TREE, …]}
//
// The parts joined are a YAML document: a list whose items are the trees. If they don't
// read as expected, each part is read as a separate document, a list of one item. With
// "whole": true there is one part, and the document itself is the tree.
// A TREE is {"text": s}, {"int": digits}, {"float": x}, {"bool": b},
// {"null": true}, {"list": [TREE…]} or {"map": [[TREE, TREE]…]}.
//
// {"stream": text} is a stream of any documents instead. Each reader returns what it
// reads: {"line": n, "reader": name, "documents": [JSON…]}, null if it refuses.
//
// Standard output: {"line": n, "part": m, "reader": name, "got": what} for every
// difference, counted from 0; then {"read": parts}.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	yaml2 "gopkg.in/yaml.v2"
	yaml3 "gopkg.in/yaml.v3"
	sigs "sigs.k8s.io/yaml"
)

type record struct {
	Parts  []string `json:"parts"`
	Expect []tree   `json:"expect"`
	Whole  bool     `json:"whole"`
	Stream *string  `json:"stream"`
}

type tree struct {
	Text  *string   `json:"text"`
	Int   *string   `json:"int"`
	Float *float64  `json:"float"`
	Bool  *bool     `json:"bool"`
	Null  *bool     `json:"null"`
	List  *[]tree   `json:"list"`
	Map   *[][]tree `json:"map"`
}

// reader decodes a document; its mappings may be any kind of Go map.
type reader struct {
	name   string
	decode func([]byte) (any, error)
	// Whether keys are converted to strings, as in JSON.
	json bool
}

var readers = []reader{
	{name: "go-yaml v2", decode: func(text []byte) (any, error) {
		var value any
		err := yaml2.Unmarshal(text, &value)
		return value, err
	}},
	{name: "go-yaml v3", decode: func(text []byte) (any, error) {
		var value any
		err := yaml3.Unmarshal(text, &value)
		return value, err
	}},
	{name: "sigs.k8s.io/yaml", json: true, decode: func(text []byte) (any, error) {
		converted, err := sigs.YAMLToJSON(text)
		if err != nil {
			return nil, err
		}
		decoder := json.NewDecoder(strings.NewReader(string(converted)))
		decoder.UseNumber()
		var value any
		err = decoder.Decode(&value)
		return value, err
	}},
}

func main() {
	input := bufio.NewReaderSize(os.Stdin, 1<<20)
	output := bufio.NewWriter(os.Stdout)
	defer output.Flush()
	encoder := json.NewEncoder(output)
	read := 0
	decoder := json.NewDecoder(input)
	for line := 0; decoder.More(); line++ {
		var r record
		if err := decoder.Decode(&r); err != nil {
			fmt.Fprintln(os.Stderr, "not a record:", err)
			os.Exit(1)
		}
		if r.Stream != nil {
			for name, documents := range streams(*r.Stream) {
				encoder.Encode(map[string]any{"line": line, "reader": name, "documents": documents})
			}
			continue
		}
		read += len(r.Parts)
		for _, reader := range readers {
			for part, got := range differences(reader, r) {
				encoder.Encode(map[string]any{"line": line, "part": part, "reader": reader.name, "got": got})
			}
		}
	}
	encoder.Encode(map[string]any{"read": read})
}

// streams reads all documents of a stream. sigs.k8s.io/yaml reads one document: it gets
// the chunks of Kubernetes' own splitter.
func streams(text string) map[string][]any {
	found := map[string][]any{"go-yaml v2": nil, "go-yaml v3": nil, "sigs.k8s.io/yaml": nil}
	v2 := yaml2.NewDecoder(strings.NewReader(text))
	found["go-yaml v2"] = all(func(value *any) error { return v2.Decode(value) })
	v3 := yaml3.NewDecoder(strings.NewReader(text))
	found["go-yaml v3"] = all(func(value *any) error { return v3.Decode(value) })
	chunks := chunks(text)
	found["sigs.k8s.io/yaml"] = all(func(value *any) error {
		if len(chunks) == 0 {
			return io.EOF
		}
		chunk := chunks[0]
		chunks = chunks[1:]
		converted, err := sigs.YAMLToJSON([]byte(chunk))
		if err != nil {
			return err
		}
		return json.Unmarshal(converted, value)
	})
	return found
}

func all(next func(*any) error) (documents []any) {
	defer func() {
		if recover() != nil {
			documents = nil
		}
	}()
	documents = []any{}
	for {
		var value any
		switch err := next(&value); err {
		case nil:
			documents = append(documents, plain(value))
		case io.EOF:
			return documents
		default:
			return nil
		}
	}
}

// chunks splits as k8s.io/apimachinery/pkg/util/yaml does: at every line that begins
// with `---`, the rest of which is dropped.
func chunks(text string) []string {
	var found []string
	for {
		at := strings.Index(text, "\n---")
		if at < 0 {
			return append(found, text)
		}
		found = append(found, text[:at])
		after := text[at+4:]
		line := strings.IndexByte(after, '\n')
		if line < 0 {
			return found
		}
		text = after[line+1:]
	}
}

// plain converts a value to one that JSON can represent.
func plain(value any) any {
	switch value := value.(type) {
	case map[any]any:
		made := map[string]any{}
		for key, item := range value {
			made[fmt.Sprint(key)] = plain(item)
		}
		return made
	case map[string]any:
		made := map[string]any{}
		for key, item := range value {
			made[key] = plain(item)
		}
		return made
	case []any:
		made := []any{}
		for _, item := range value {
			made = append(made, plain(item))
		}
		return made
	case nil, string, bool, int, int64, uint64:
		return value
	case float64:
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return fmt.Sprint(value)
		}
		return value
	default:
		return fmt.Sprint(value)
	}
}

func differences(reader reader, r record) map[int]string {
	value, err := safely(reader, strings.Join(r.Parts, ""))
	if r.Whole {
		if err == nil && equal(value, r.Expect[0], reader.json) {
			return nil
		}
		return map[int]string{0: fmt.Sprintf("%v %#v", err, value)}
	}
	if items, isList := value.([]any); err == nil && isList && len(items) == len(r.Parts) {
		same := true
		for n := range items {
			same = same && equal(items[n], r.Expect[n], reader.json)
		}
		if same {
			return nil
		}
	}
	found := map[int]string{}
	for n, part := range r.Parts {
		value, err := safely(reader, part)
		items, isList := value.([]any)
		switch {
		case err != nil:
			found[n] = "error: " + err.Error()
		case !isList || len(items) != 1 || !equal(items[0], r.Expect[n], reader.json):
			found[n] = fmt.Sprintf("%T %#v", value, value)
		}
	}
	return found
}

// safely turns a reader's panic into an error.
func safely(reader reader, text string) (value any, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("panic: %v", panicked)
		}
	}()
	return reader.decode([]byte(text))
}

func equal(value any, expected tree, jsonKeys bool) bool {
	switch {
	case expected.Null != nil:
		return value == nil
	case expected.Text != nil:
		text, is := value.(string)
		return is && text == *expected.Text
	case expected.Bool != nil:
		bool, is := value.(bool)
		return is && bool == *expected.Bool
	case expected.Int != nil:
		switch number := value.(type) {
		case int, int64, uint64:
			return fmt.Sprint(number) == *expected.Int
		case json.Number:
			return number.String() == *expected.Int
		}
		return false
	case expected.Float != nil:
		switch number := value.(type) {
		case float64:
			return number == *expected.Float
		case json.Number:
			parsed, err := strconv.ParseFloat(number.String(), 64)
			return err == nil && parsed == *expected.Float
		}
		return false
	case expected.List != nil:
		items, is := value.([]any)
		if !is || len(items) != len(*expected.List) {
			return false
		}
		for n, item := range items {
			if !equal(item, (*expected.List)[n], jsonKeys) {
				return false
			}
		}
		return true
	case expected.Map != nil:
		return equalMap(value, *expected.Map, jsonKeys)
	}
	return false
}

func equalMap(value any, expected [][]tree, jsonKeys bool) bool {
	type entry struct{ key, value any }
	var entries []entry
	switch mapping := value.(type) {
	case map[string]any:
		for key, value := range mapping {
			entries = append(entries, entry{key, value})
		}
	case map[any]any:
		for key, value := range mapping {
			entries = append(entries, entry{key, value})
		}
	default:
		return false
	}
	if len(entries) != len(expected) {
		return false
	}
	for _, pair := range expected {
		found := false
		for _, entry := range entries {
			key := equal(entry.key, pair[0], jsonKeys)
			if jsonKeys {
				key = entry.key == asKey(pair[0])
			}
			found = found || key && equal(entry.value, pair[1], jsonKeys)
		}
		if !found {
			return false
		}
	}
	return true
}

// asKey returns a scalar as a key of JSON.
func asKey(key tree) any {
	switch {
	case key.Text != nil:
		return *key.Text
	case key.Int != nil:
		return *key.Int
	case key.Bool != nil:
		return strconv.FormatBool(*key.Bool)
	}
	return nil
}
