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
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
	"mcp-askuser/ui/api"
)

// description is openapi.json, against which the responses of every test here
// are checked.
type description struct {
	routes    *http.ServeMux // of its operations
	paths     map[string]any
	responses map[string]any
	schemas   *jsonschema.Compiler

	mu sync.Mutex // held while a schema compiles
}

var describe = sync.OnceValues(func() (*description, error) {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(openapi))
	if err != nil {
		return nil, err
	}
	closeObjects(v)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	doc := v.(map[string]any)
	responses := doc["components"].(map[string]any)["responses"].(map[string]any)
	d := &description{
		routes: http.NewServeMux(), paths: doc["paths"].(map[string]any), responses: responses, schemas: c,
	}
	for _, operation := range d.operations() {
		d.routes.Handle(operation, http.NotFoundHandler())
	}
	return d, c.AddResource("openapi.json", v)
})

func document(t testing.TB) *description {
	t.Helper()
	d, err := describe()
	fatal.If(t, err)
	return d
}

// closeObjects makes members that are not described faults. Clients are to
// put up with new ones; our own tests are not.
func closeObjects(v any) {
	list, _ := v.([]any)
	object, _ := v.(map[string]any)
	for _, x := range list {
		closeObjects(x)
	}
	for _, x := range object {
		closeObjects(x)
	}
	_, described := object["properties"].(map[string]any)
	if _, open := object["additionalProperties"]; described && !open {
		object["additionalProperties"] = false
	}
}

// operations returns what the document describes, as "GET /api/questions".
func (d *description) operations() (all []string) {
	for path, methods := range d.paths {
		for method := range methods.(map[string]any) {
			all = append(all, strings.ToUpper(method)+" "+path)
		}
	}
	return all
}

// check checks the response to a request of the API; the others are not described.
func (d *description) check(r *http.Request, a response) error {
	_, operation := d.routes.Handler(r)
	method, route, ok := strings.Cut(operation, " ")
	if !ok {
		return nil
	}
	method = strings.ToLower(method)
	op := d.paths[route].(map[string]any)[method].(map[string]any)
	status := strconv.Itoa(a.status)
	responses := op["responses"].(map[string]any)
	if responses[status] == nil {
		if !slices.Contains([]int{401, 403, 500}, a.status) {
			return fmt.Errorf("status %d is not described", a.status)
		}
		status = "default"
	}
	described := responses[status].(map[string]any)
	at := "/paths/" + strings.ReplaceAll(route, "/", "~1") + "/" + method + "/responses/" + status
	if name, ok := described["$ref"].(string); ok {
		at = strings.TrimPrefix(name, "#")
		described = d.responses[at[strings.LastIndex(at, "/")+1:]].(map[string]any)
	}
	kind, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	content := described["content"].(map[string]any)
	if err != nil || content[kind] == nil && content["*/*"] == nil {
		return fmt.Errorf("content type %q is not described for status %d", kind, a.status)
	}
	if kind != "application/json" {
		return nil
	}
	return d.validate(at+"/content/application~1json/schema", a.body)
}

// validate checks JSON against the schema at a pointer into the document.
func (d *description) validate(at string, data []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	schema, err := d.schemas.Compile("openapi.json#" + at)
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	return schema.Validate(v)
}

// The document describes the routes of the API, and no others; it is served.
func TestDescriptionHasEveryRoute(t *testing.T) {
	described := document(t).operations()
	var served []string
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
	start(t).want(http.StatusOK, "", "GET", "/api/openapi.json", "")
}

// The document describes what few records have, and how those of a shared desk that does not answer
// are refused.
func TestDescriptionHasEveryRecord(t *testing.T) {
	g, v := visited(t)
	set := question.Set{Questions: []question.Question{boolean("go")}}
	asker := desk.Asker{Client: "claude-code", Via: desk.ViaPermission, PID: 1, Machine: "m"}
	rec, attendance, err := g.desk.Mirror(t.Context(),
		desk.Request{Set: set, Session: "s", Row: "r", ToolUse: "t", Asker: asker})
	fatal.If(t, err)
	defer attendance.Release()
	g.want(200, "", "GET", "/api/questions", "")
	v.post("/answer", confirmed(rec.ID, "q0", "0"))
	g.want(200, "", "GET", "/api/questions/"+rec.ID, "")
	closed := desk.Outcome{Status: desk.Cancelled, Reason: "closed"}
	_, err = g.desk.Settle(t.Context(), rec.ID, closed)
	fatal.If(t, err)
	if got := g.want(200, "", "GET", "/api/questions/"+rec.ID, ""); !strings.Contains(string(got.body), `"later"`) {
		t.Errorf("got %s", got.body)
	}
	unseen := g.ask("s", boolean("go")).ID
	_, err = g.desk.Close(t.Context(), unseen, closed)
	fatal.If(t, err)
	g.want(200, "", "GET", "/api/questions/"+unseen, "")
	discussed := g.ask("s", single("db")).ID
	g.task(200, "", `{"id":"`+discussed+`","discuss":true,"note":"why"}`)
	g.task(400, api.AlreadyClosed, `{"id":"`+discussed+`","answers":{"db":"pg"}}`)

	g.store.FailRows(0, desk.ErrUnreachable)
	g.want(503, api.Unreachable, "GET", "/api/sessions/s", "")
	g.want(503, api.Unreachable, "GET", "/api/questions", "")
	g.store.Fail("Get", desk.ErrUnreachable)
	g.want(503, api.Unreachable, "POST", "/api/questions/"+discussed+"/files", "x")
	g.task(503, api.Unreachable, `{"id":"`+discussed+`","answers":{"db":"pg"}}`)
}
