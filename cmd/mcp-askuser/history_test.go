package main

import (
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
)

// A terminal of 80 columns has the question and its answer; a wider one, and a pipe, also who
// asked and where.
func TestHistoryOnNarrowTerminals(t *testing.T) {
	records := waitingRecords(time.Now())
	for i := range records {
		records[i].Outcome = &desk.Outcome{Status: desk.Dismissed, Surface: "tty"}
	}
	for width, want := range map[int]string{
		0: "ID ASKED ASKED BY QUESTION ANSWER WHERE", 80: "ID ASKED QUESTION ANSWER", 120: "ID ASKED ASKED BY QUESTION ANSWER WHERE",
	} {
		table := historyTable(records).fit(width)
		if got := strings.Join(table.rows[0], " "); got != want {
			t.Errorf("%d cells: %s, want %s", width, got, want)
		}
		if got := len(table.rows[1]); got != len(table.rows[0]) {
			t.Errorf("%d cells: %d columns in a row", width, got)
		}
	}
}
