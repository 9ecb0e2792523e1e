// Renders the chart with the template engine of Helm. Reads cases from standard input, as JSON, and writes what each of
// them renders, by the name of the case.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/fake"
)

// Case is one set of values, and the objects that exist in the cluster.
type Case struct {
	Name     string
	Values   map[string]any
	Existing []map[string]any
}

// Rendered is the text of each template, or the error.
type Rendered struct {
	Files map[string]string `json:"files,omitempty"`
	Error string            `json:"error,omitempty"`
}

// cluster answers `lookup` from the existing objects. Only Secrets are looked up.
type cluster struct{ client dynamic.Interface }

func (c cluster) GetClientFor(apiVersion, kind string) (dynamic.NamespaceableResourceInterface, bool, error) {
	if apiVersion != "v1" || kind != "Secret" {
		return nil, false, fmt.Errorf("lookup of %s %s", apiVersion, kind)
	}
	return c.client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "secrets"}), true, nil
}

func render(path string, one Case) (map[string]string, error) {
	chart, err := loader.Load(path)
	if err != nil {
		return nil, err
	}
	objects := []runtime.Object{}
	for _, object := range one.Existing {
		objects = append(objects, &unstructured.Unstructured{Object: object})
	}
	lists := map[schema.GroupVersionResource]string{{Version: "v1", Resource: "secrets"}: "SecretList"}
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists, objects...)
	capabilities := chartutil.DefaultCapabilities.Copy()
	capabilities.KubeVersion = chartutil.KubeVersion{Version: "v1.30.0", Major: "1", Minor: "30"}
	release := chartutil.ReleaseOptions{Name: "tests", Namespace: "mail", Revision: 1, IsInstall: true}
	// Also validates the values by the schema of the chart.
	values, err := chartutil.ToRenderValues(chart, one.Values, release, capabilities)
	if err != nil {
		return nil, err
	}
	files, err := engine.RenderWithClientProvider(chart, values, cluster{client})
	if err != nil {
		return nil, err
	}
	short := map[string]string{}
	for name, text := range files {
		short[filepath.Base(name)] = text
	}
	return short, nil
}

func run(path string) error {
	if result := action.NewLint().Run([]string{path}, nil); len(result.Errors) > 0 {
		return fmt.Errorf("lint: %v", result.Errors)
	}
	var cases []Case
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		return err
	}
	rendered := map[string]Rendered{}
	for _, one := range cases {
		files, err := render(path, one)
		if err != nil {
			rendered[one.Name] = Rendered{Error: err.Error()}
		} else {
			rendered[one.Name] = Rendered{Files: files}
		}
	}
	return json.NewEncoder(os.Stdout).Encode(rendered)
}

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
