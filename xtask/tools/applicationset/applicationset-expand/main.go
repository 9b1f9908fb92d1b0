// Command applicationset-expand writes the Applications that Argo CD's ApplicationSet
// controller would create, with the controller's own generators and templates
// (applicationset/controllers/template, v3.2.12). The cluster Secrets come from files
// instead of Kubernetes.
//
//	applicationset-expand APPLICATIONSET.yaml SECRET.yaml...
//	applicationset-expand --batch
//
// Each file is a stream of YAML documents. A JSON list of Applications goes to stdout. On an
// error nothing does, and the exit status is 1.
//
// With --batch, each line of stdin is a JSON object with the texts of such streams: "sets",
// "secrets", and in "applications" the Applications that another program has made. Each line
// of stdout answers one: "made" are the controller's Applications, "decoded" those of the
// other program as Argo CD's types keep them, and "error" is the first error of the
// controller, with which Argo CD makes no other Application than those of "made".
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

	log "github.com/sirupsen/logrus"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	kubernetesfake "k8s.io/client-go/kubernetes/fake"
	clientfake "sigs.k8s.io/controller-runtime/pkg/client/fake"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/argoproj/argo-cd/v3/applicationset/controllers/template"
	"github.com/argoproj/argo-cd/v3/applicationset/generators"
	"github.com/argoproj/argo-cd/v3/applicationset/utils"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
)

// namespace is the one that the controller watches, in which cluster Secrets must be.
const namespace = "argocd"

func main() {
	log.SetOutput(io.Discard)
	if len(os.Args) == 2 && os.Args[1] == "--batch" {
		if err := batch(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "applicationset-expand:", err)
			os.Exit(1)
		}
		return
	}
	applications, err := expandFiles(os.Args[1:])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(applications)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "applicationset-expand:", err)
		os.Exit(1)
	}
}

type question struct {
	Sets         string `json:"sets"`
	Secrets      string `json:"secrets"`
	Applications string `json:"applications"`
}

type answer struct {
	Made    []v1alpha1.Application `json:"made"`
	Error   string                 `json:"error"`
	Decoded []v1alpha1.Application `json:"decoded"`
	// DecodeError is why Argo CD cannot read the other program's Applications.
	DecodeError string `json:"decodeError"`
}

func batch(in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	encoder := json.NewEncoder(out)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var asked question
			if err := json.Unmarshal(line, &asked); err != nil {
				return err
			}
			if err := encoder.Encode(asked.answer()); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (asked question) answer() answer {
	answer := answer{Made: []v1alpha1.Application{}, Decoded: []v1alpha1.Application{}}
	made, err := asked.expand()
	answer.Made = append(answer.Made, made...)
	if err != nil {
		answer.Error = err.Error()
	}
	if err := decode([]byte(asked.Applications), func(application v1alpha1.Application) error {
		answer.Decoded = append(answer.Decoded, application)
		return nil
	}); err != nil {
		answer.DecodeError = err.Error()
	}
	return answer
}

// expand returns an error for a panic: the controller survives it, and makes nothing.
func (asked question) expand() (made []v1alpha1.Application, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			made, err = nil, fmt.Errorf("panic: %v", panicked)
		}
	}()
	return expand([]byte(asked.Sets), [][]byte{[]byte(asked.Secrets)})
}

func expandFiles(files []string) ([]v1alpha1.Application, error) {
	if len(files) == 0 {
		return nil, errors.New("usage: applicationset-expand APPLICATIONSET.yaml SECRET.yaml")
	}
	var streams [][]byte
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		streams = append(streams, content)
	}
	return expand(streams[0], streams[1:])
}

// expand returns the Applications that are made in spite of an error too.
func expand(setStream []byte, secretStreams [][]byte) ([]v1alpha1.Application, error) {
	var sets []v1alpha1.ApplicationSet
	if err := decode(setStream, func(set v1alpha1.ApplicationSet) error {
		if set.Kind == "ApplicationSet" {
			sets = append(sets, set)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	var objects []runtime.Object
	for _, stream := range secretStreams {
		if err := decode(stream, func(secret corev1.Secret) error {
			objects = append(objects, stored(&secret))
			return nil
		}); err != nil {
			return nil, err
		}
	}
	ctx := context.Background()
	scheme := runtime.NewScheme()
	if err := errors.Join(corev1.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		return nil, err
	}
	client := clientfake.NewClientBuilder().WithScheme(scheme).WithRuntimeObjects(objects...).Build()
	// NewClientset would parse the schemas of all kinds for every case.
	clientset := kubernetesfake.NewSimpleClientset(objects...) //nolint:staticcheck
	available := generators.GetGenerators(ctx, client, clientset, namespace, nil, nil, generators.SCMConfig{})
	applications := []v1alpha1.Application{}
	var first error
	for _, set := range sets {
		made, _, err := template.GenerateApplications(log.NewEntry(log.StandardLogger()), set, available, &utils.Render{}, client)
		if first == nil {
			first = err
		}
		applications = append(applications, made...)
	}
	return applications, first
}

// stored returns a Secret as the API server stores it: without stringData.
func stored(secret *corev1.Secret) *corev1.Secret {
	if secret.Data == nil {
		secret.Data = map[string][]byte{}
	}
	for key, value := range secret.StringData {
		secret.Data[key] = []byte(value)
	}
	secret.StringData = nil
	if secret.Namespace == "" {
		secret.Namespace = namespace
	}
	return secret
}

// decode calls add for each document of a YAML stream. The API server gets JSON, in which a
// bool or a number is not a string, and refuses unknown fields and duplicate ones.
func decode[T any](stream []byte, add func(object T) error) error {
	documents := utilyaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(stream)))
	defer documents.Close()
	buffer := make([]byte, len(stream)+1)
	for {
		n, err := documents.Read(buffer)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		converted, err := yaml.YAMLToJSONStrict(buffer[:n])
		if err != nil {
			return err
		}
		if string(converted) == "null" {
			continue
		}
		var object T
		strict, err := kjson.UnmarshalStrict(converted, &object)
		if err := errors.Join(append(strict, err)...); err != nil {
			return err
		}
		if err := add(object); err != nil {
			return err
		}
	}
}
