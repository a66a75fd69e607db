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

	"mcp-askuser/desk"
	"mcp-askuser/ui/api"
)

// description is openapi.json, against which the responses of every test here
// are checked.
type description struct {
	doc     map[string]any
	schemas *jsonschema.Compiler

	mu   sync.Mutex
	seen map[string]bool // "GET /api/questions 200"
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
	return &description{doc: v.(map[string]any), schemas: c, seen: map[string]bool{}}, nil
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
		if a.status == http.StatusMethodNotAllowed || a.status == http.StatusUnauthorized || a.status == http.StatusForbidden {
			return nil
		}
		return fmt.Errorf("status %d for a method that is not described", a.status)
	}
	status := strconv.Itoa(a.status)
	responses := op["responses"].(map[string]any)
	if responses[status] == nil {
		if !slices.Contains([]int{401, 403, 405, 408, 500}, a.status) {
			return fmt.Errorf("status %d is not described", a.status)
		}
		status = "default"
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seen[method+" "+route+" "+status] = true
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
	for path, methods := range (&Server{}).api() {
		for method := range methods {
			served = append(served, method+" "+path)
		}
	}
	slices.Sort(described)
	slices.Sort(served)
	if !slices.Equal(described, served) {
		t.Errorf("described:\n%s\nserved:\n%s", strings.Join(described, "\n"), strings.Join(served, "\n"))
	}
}

// Every schema compiles, whether or not a response uses it, and every code is
// one that the document lists.
func TestDescriptionSchemas(t *testing.T) {
	d := document(t)
	for name := range d.doc["components"].(map[string]any)["schemas"].(map[string]any) {
		if _, err := d.schemas.Compile("openapi.json#/components/schemas/" + name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Every response that the document describes is one that this test has made
// the server give, in the shape described; see rig.send.
func TestDescriptionIsTrue(t *testing.T) {
	g := start(t)
	g.exercise()
	off := start(t, func(o *Options) { o.Decode = nil })
	off.want(501, api.NotSupported, "POST", "/api/questions", `{}`)
	far := start(t)
	rec := far.ask("s", single("db"))
	far.store.FailAnswers(desk.ErrUnreachable)
	far.want(503, api.NotSentYet, "POST", "/api/task/answer", `{"session_id":"s","question_id":"db","answer":"pg"}`)
	far.want(503, api.NotSentYet, "POST", "/api/questions/"+rec.ID+"/dismiss", "")

	d := document(t)
	d.mu.Lock()
	defer d.mu.Unlock()
	for path, ops := range d.doc["paths"].(map[string]any) {
		for method, op := range ops.(map[string]any) {
			for status := range op.(map[string]any)["responses"].(map[string]any) {
				key := strings.ToUpper(method) + " " + path + " " + status
				if !d.seen[key] && status != "default" {
					t.Errorf("described, and never given: %s", key)
				}
			}
		}
	}
}

// exercise makes the server give every response of the API but a few that need
// a server of their own.
func (g *rig) exercise() {
	g.t.Helper()
	const absent = "/api/questions/01J00000000000000000000000"
	large := `{"reason":"` + strings.Repeat("x", maxBody) + `"}`

	g.want(200, "", "GET", "/api/openapi.json", "")
	g.want(200, "", "GET", "/api/questions", "")
	first := g.want(201, "", "POST", "/api/questions", `{"session_id":"s","questions":[`+encode(g.t, single("db"))+`]}`)
	id := decodeJSON[api.Record](g.t, first.body).ID
	g.want(400, api.InvalidQuestion, "POST", "/api/questions", `{"questions":[]}`)
	g.want(413, api.TooLarge, "POST", "/api/questions", large)
	g.want(200, "", "GET", "/api/questions/"+id, "")
	g.want(400, api.InvalidRequest, "GET", "/api/questions/"+id+"?wait=soon", "")
	g.want(404, api.QuestionNotFound, "GET", absent, "")
	g.want(400, api.InvalidAnswer, "POST", "/api/task/answer", `{"session_id":"s","question_id":"db","answer":"oracle"}`)
	g.want(404, api.QuestionNotFound, "POST", "/api/task/answer", `{"session_id":"s","question_id":"none","answer":"pg"}`)
	g.want(413, api.TooLarge, "POST", "/api/task/answer", large)
	g.want(200, "", "POST", "/api/task/answer", `{"session_id":"s","question_id":"db","answer":"pg"}`)
	g.want(200, "", "GET", "/api/sessions/s", "")
	g.want(404, api.SessionNotFound, "GET", "/api/sessions/none", "")
	for _, end := range []string{"dismiss", "cancel"} {
		open := g.ask("", single("q"))
		path := "/api/questions/" + open.ID + "/" + end
		g.want(413, api.TooLarge, "POST", path, large)
		g.want(200, "", "POST", path, `{"reason":"later"}`)
		g.want(400, api.AlreadyClosed, "POST", path, "")
		g.want(404, api.QuestionNotFound, "POST", absent+"/"+end, "")
	}
	g.exhaust("many")
	g.exerciseFiles()
	g.want(405, api.MethodNotAllowed, "PUT", "/api/questions", "{}")
	events := g.listen()
	defer events.close()
	waiting := g.later("POST", "/api/questions?wait=60", `{"session_id":"w","questions":[`+encode(g.t, boolean("go"))+`]}`)
	events.next() // asked
	yes := `{"session_id":"w","question_id":"go","answer":true}`
	g.want(403, api.UserRequired, "POST", "/api/task/answer", yes)
	if a := g.send(g.fromFrontEnd("/api/task/answer", yes)); a.status != 200 {
		g.t.Errorf("a front end: %d %s", a.status, a.body)
	}
	if a := <-waiting; a.status != 200 || decodeJSON[api.Record](g.t, a.body).Answers["Go on (go)?"] != "Yes" {
		g.t.Errorf("waiting for the answer: %d %s", a.status, a.body)
	}
	for range maxStreams - 1 { // events is one
		g.server.streams <- struct{}{}
	}
	g.want(503, api.TooManyStreams, "GET", "/api/events", "")
	g.eachRoute(func(method, path string) {
		r := g.request(method, path, "")
		r.Header.Del("Authorization")
		if a := g.send(r); a.status != 401 || a.code() != api.Unauthorized {
			g.t.Errorf("%s %s without token: %d %s", method, path, a.status, a.code())
		}
		r = g.request(method, path, "")
		r.Header.Set("Origin", "https://evil.example")
		if a := g.send(r); a.status != 403 || a.code() != api.Forbidden {
			g.t.Errorf("%s %s from another site: %d %s", method, path, a.status, a.code())
		}
	})
}

// eachRoute calls f for every operation of the API.
func (g *rig) eachRoute(f func(method, path string)) {
	for path, methods := range g.server.api() {
		for method := range methods {
			f(method, strings.NewReplacer("{id}", "01J00000000000000000000000", "{session_id}", "s", "{key}", strings.Repeat("0", 64)+".png").Replace(path))
		}
	}
}

func TestNoSuchPath(t *testing.T) {
	g := start(t)
	g.want(404, api.NoSuchPath, "GET", "/api/nothing", "")
	g.want(404, api.NoSuchPath, "GET", "/api/", "")
}
