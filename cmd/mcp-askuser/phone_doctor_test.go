//go:build unix

package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// A server that cannot be reached wants no token: the doctor says what to look at.
func TestDoctorOfAPhoneOutOfReach(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	dir := t.TempDir()
	usePhone(t, dir, phoneSetup{Server: server.URL})
	out, _ := program(t, dir, "doctor", "--json").Output()
	var found []finding
	if err := json.Unmarshal(out, &found); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	i := slices.IndexFunc(found, func(f finding) bool { return f.Part == "phone" })
	if i < 0 || found[i].State != stateWrong || !strings.Contains(found[i].Remedy, server.URL) ||
		strings.Contains(found[i].Remedy, "--token") {
		t.Errorf("got %+v", found[max(i, 0)])
	}
}
