package desk_test

import (
	"reflect"
	"slices"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/question"
)

// What gives an answer its meaning beside the questions is in the statement of a record, and
// what has none is not.
func TestStatement(t *testing.T) {
	fresh := func() desk.Record {
		return desk.Record{ID: "01M6GA60M060R30C1G60R30C1H", Asker: asker, Set: set()}
	}
	was := fresh()
	for name, tc := range map[string]struct {
		change func(*desk.Record)
		same   bool
	}{
		"another record":   {change: func(r *desk.Record) { r.ID = "01M6GA60M060R30C1G60R30C1J" }},
		"order of options": {change: func(r *desk.Record) { slices.Reverse(r.Questions[0].Options) }},
		"who asks":         {change: func(r *desk.Record) { r.Asker.Client += "x" }},
		"a permission":     {change: func(r *desk.Record) { r.Asker.Via = desk.ViaPermission }},
		"the defaults":     {change: func(r *desk.Record) { r.OnTimeout = desk.OnTimeoutDefault }},
		"its round":        {change: func(r *desk.Record) { r.Round = 7 }, same: true},
		"its process":      {change: func(r *desk.Record) { r.Asker.PID = 7 }, same: true},
		"that it ended":    {change: func(r *desk.Record) { r.State, r.Outcome = desk.Cancelled, &desk.Outcome{Status: desk.Cancelled} }, same: true},
	} {
		rec := fresh()
		tc.change(&rec)
		if same := rec.Statement() == was.Statement(); same != tc.same {
			t.Errorf("%s: the same statement: %v", name, same)
		}
	}
}

// One who waits compares what was asked with what there is: an answer to another text is not
// delivered, and one who asks the same again asks anew.
func TestSwappedQuestion(t *testing.T) {
	dir := storeDir(t)
	d := open(t, dir)
	rec := detached(t, d, request("Run tests?"))
	desktest.Rewrite(t, dir, rec.ID, "Run tests?", "Delete prod?")
	reply(t, open(t, dir), rec.ID, "yes")
	if got := must(d.Wait(deadline(t), rec.ID)); got.State != desk.Failed || got.Reply() != nil {
		t.Errorf("it is %s %+v", got.State, got.Outcome)
	}
	again := detached(t, open(t, dir), request("Run tests?"))
	if again.ID == rec.ID || again.Outcome != nil {
		t.Errorf("asked again: %s %s", again.ID, again.State)
	}
}

// TestStatementHasEveryMember changes each member of a question and of its options in
// turn: a member that the statement left out could be changed in the store unnoticed.
func TestStatementHasEveryMember(t *testing.T) {
	unstated := map[string]bool{"Placeholder": true} // an example beside an empty field
	asked := func() *desk.Record {
		return &desk.Record{Set: question.Set{Questions: []question.Question{{ID: "q1", Options: []question.Option{{ID: "a"}}}}}}
	}
	first := func(rec *desk.Record) *question.Question { return &rec.Questions[0] }
	for name, member := range map[string]func(*desk.Record) reflect.Value{
		"question": func(rec *desk.Record) reflect.Value { return reflect.ValueOf(first(rec)).Elem() },
		"option":   func(rec *desk.Record) reflect.Value { return reflect.ValueOf(&first(rec).Options[0]).Elem() },
	} {
		for i, whole := 0, member(asked()); i < whole.NumField(); i++ {
			field := whole.Type().Field(i).Name
			rec := asked()
			change(t, member(rec).Field(i))
			if changed := rec.Statement() != asked().Statement(); changed == unstated[field] {
				t.Errorf("a change of %s.%s: the statement changes: %v", name, field, changed)
			}
		}
	}
}

// change gives a member another value.
func change(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString("another")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Slice:
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	default:
		t.Fatalf("no other value for a %s", v.Kind())
	}
}
