package web

import (
	"bytes"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// description is openapi.json, against which the responses of every test here
// are checked.
type description struct {
	doc     map[string]any
	schemas *jsonschema.Compiler

	mu sync.Mutex // held while a schema compiles
}

var document = func() func(testing.TB) *description {
	once := sync.OnceValues(readDescription)
	return func(t testing.TB) *description {
		t.Helper()
		d, err := once()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
}()

func readDescription() (*description, error) {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(openapi))
	if err != nil {
		return nil, err
	}
	closeObjects(v)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("openapi.json", v); err != nil {
		return nil, err
	}
	return &description{doc: v.(map[string]any), schemas: c}, nil
}

// closeObjects makes members that are not described faults. Clients are to
// put up with new ones; our own tests are not.
func closeObjects(v any) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			closeObjects(x)
		}
	case map[string]any:
		for _, x := range v {
			closeObjects(x)
		}
		_, object := v["properties"].(map[string]any)
		if _, open := v["additionalProperties"]; object && !open {
			v["additionalProperties"] = false
		}
	}
}

// check checks a response of the API; other paths are not described.
func (d *description) check(method, path string, a response) error {
	route, ok := d.route(path)
	if !ok {
		return nil
	}
	ops := d.doc["paths"].(map[string]any)[route].(map[string]any)
	op, ok := ops[strings.ToLower(method)].(map[string]any)
	if !ok {
		if a.status == http.StatusNotFound || a.status == http.StatusUnauthorized || a.status == http.StatusForbidden {
			return nil
		}
		return fmt.Errorf("status %d for a method that is not described", a.status)
	}
	status := strconv.Itoa(a.status)
	responses := op["responses"].(map[string]any)
	if responses[status] == nil {
		if !slices.Contains([]int{401, 403, 408, 500}, a.status) {
			return fmt.Errorf("status %d is not described", a.status)
		}
		status = "default"
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	response, at := d.resolve(responses[status].(map[string]any), fmt.Sprintf("/paths/%s/%s/responses/%s", strings.ReplaceAll(route, "/", "~1"), strings.ToLower(method), status))
	kind, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	content := response["content"].(map[string]any)
	if err != nil || content[kind] == nil && content["*/*"] == nil {
		return fmt.Errorf("content type %q is not described for status %d", kind, a.status)
	}
	if kind != "application/json" {
		return nil
	}
	schema, err := d.schemas.Compile("openapi.json#" + at + "/content/application~1json/schema")
	if err != nil {
		return err
	}
	return validate(schema, a.body)
}

// resolve returns the response that a reference names, or what is no reference, and where it is.
func (d *description) resolve(v map[string]any, at string) (map[string]any, string) {
	name, ok := v["$ref"].(string)
	if !ok {
		return v, at
	}
	_, name, _ = strings.Cut(name, "#/components/responses/")
	return d.doc["components"].(map[string]any)["responses"].(map[string]any)[name].(map[string]any), "/components/responses/" + name
}

func validate(schema *jsonschema.Schema, data []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	return schema.Validate(v)
}

// route returns the path template that a path fits.
func (d *description) route(path string) (string, bool) {
	parts := strings.Split(path, "/")
	for template := range d.doc["paths"].(map[string]any) {
		if slices.EqualFunc(strings.Split(template, "/"), parts, func(t, p string) bool {
			return t == p || strings.HasPrefix(t, "{") && p != ""
		}) {
			return template, true
		}
	}
	return "", false
}

// The document describes the routes there are, and no others.
func TestDescriptionHasEveryRoute(t *testing.T) {
	var described, served []string
	for path, ops := range document(t).doc["paths"].(map[string]any) {
		for method := range ops.(map[string]any) {
			described = append(described, strings.ToUpper(method)+" "+path)
		}
	}
	for request := range (&Server{}).routes() {
		if strings.Contains(request, " /api/") {
			served = append(served, request)
		}
	}
	slices.Sort(described)
	slices.Sort(served)
	if !slices.Equal(described, served) {
		t.Errorf("described:\n%s\nserved:\n%s", strings.Join(described, "\n"), strings.Join(served, "\n"))
	}
}
