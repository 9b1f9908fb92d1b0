// Command applicationset-expand writes the Applications that Argo CD's ApplicationSet
// controller would create, with the controller's own generators and templates
// (applicationset/controllers/template, v3.2.12). The cluster Secrets come from files
// instead of Kubernetes.
//
//	applicationset-expand APPLICATIONSET.yaml SECRET.yaml...
//
// Each file is a stream of YAML documents. A JSON list of Applications goes to stdout. On an
// error nothing does, and the exit status is 1.
package main

import (
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
	"k8s.io/apimachinery/pkg/util/yaml"
	kubernetesfake "k8s.io/client-go/kubernetes/fake"
	clientfake "sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/argoproj/argo-cd/v3/applicationset/controllers/template"
	"github.com/argoproj/argo-cd/v3/applicationset/generators"
	"github.com/argoproj/argo-cd/v3/applicationset/utils"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
)

// namespace is the one that the controller watches, in which cluster Secrets must be.
const namespace = "argocd"

func main() {
	log.SetOutput(io.Discard)
	applications, err := expand(os.Args[1:])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(applications)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "applicationset-expand:", err)
		os.Exit(1)
	}
}

func expand(files []string) ([]v1alpha1.Application, error) {
	if len(files) == 0 {
		return nil, errors.New("usage: applicationset-expand APPLICATIONSET.yaml SECRET.yaml")
	}
	var sets []v1alpha1.ApplicationSet
	if err := read(files[0], func(document []byte) error {
		var set v1alpha1.ApplicationSet
		if err := yaml.UnmarshalStrict(document, &set); err != nil {
			return err
		}
		sets = append(sets, set)
		return nil
	}); err != nil {
		return nil, err
	}
	var objects []runtime.Object
	for _, file := range files[1:] {
		if err := read(file, func(document []byte) error {
			var secret corev1.Secret
			if err := yaml.UnmarshalStrict(document, &secret); err != nil {
				return err
			}
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
	clientset := kubernetesfake.NewClientset(objects...)
	available := generators.GetGenerators(ctx, client, clientset, namespace, nil, nil, generators.SCMConfig{})
	applications := []v1alpha1.Application{}
	for _, set := range sets {
		made, _, err := template.GenerateApplications(log.NewEntry(log.StandardLogger()), set, available, &utils.Render{}, client)
		if err != nil {
			return nil, err
		}
		applications = append(applications, made...)
	}
	return applications, nil
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

// read calls add for each document of a YAML stream.
func read(file string, add func(document []byte) error) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	documents := yaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(content)))
	defer documents.Close()
	buffer := make([]byte, len(content)+1)
	for {
		n, err := documents.Read(buffer)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if len(bytes.TrimSpace(buffer[:n])) == 0 {
			continue
		}
		if err := add(buffer[:n]); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
}
