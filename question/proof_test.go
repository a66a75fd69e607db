package question_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

// A proof that was not verified is none, also where a document claims it, and a proof for
// programs has no signature.
func TestProof(t *testing.T) {
	at := time.Date(2026, 11, 2, 10, 1, 0, 0, time.FixedZone("", 3600))
	p := &question.Proof{
		Kind: question.PasskeyProof, Key: "k1", Name: "lap\u202etop", At: at, Verified: true,
		Signature: []byte("s"), ClientData: []byte("c"), AuthenticatorData: []byte("a"),
	}
	want := &question.Proof{Kind: question.PasskeyProof, Key: "k1", Name: question.Line("lap\u202etop"), At: at.UTC(), Verified: true}
	if got := p.Public(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	data, err := json.Marshal(p)
	fatal.If(t, err)
	var read question.Proof
	if err := json.Unmarshal(data, &read); err != nil || read.Verified || string(read.Signature) != "s" {
		t.Errorf("%s is read as %+v, %v", data, read, err)
	}
	for _, p := range []*question.Proof{nil, {}, &read} {
		if got := p.Public(); got != nil {
			t.Errorf("%+v has the proof %+v", p, got)
		}
	}
}
