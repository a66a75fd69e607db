package inbox

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// BenchmarkHeavy is how long a key takes in a list of the heaviest questions,
// and to open the details of one: at most 30 and 100 ms.
func BenchmarkHeavy(b *testing.B) {
	q := database()
	q.Text = strings.Repeat("all of this has to be read by somebody ", 6_000)
	q.Description = "a" + strings.Repeat("\u0301", 1_000_000)
	r := newRig(b, 80, 24)
	r.send(tea.WindowSizeMsg{Width: r.w, Height: r.h})
	var records []desk.Record
	for i := range 50 {
		records = append(records, desk.Record{ID: string(rune('a' + i)), State: desk.Pending, Set: question.Set{Questions: []question.Question{q}}})
	}
	r.m.waiting.update(records)
	press := func(k tea.KeyPressMsg) {
		r.m.Update(k)
		r.m.View()
	}
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			press(tea.KeyPressMsg{Code: tea.KeyDown})
		}
	})
	b.Run("details", func(b *testing.B) {
		for b.Loop() {
			press(tea.KeyPressMsg{Code: 'i', Text: "i"})
			press(tea.KeyPressMsg{Code: tea.KeyEscape})
		}
	})
	b.Run("details in Chinese", func(b *testing.B) {
		chinese := q
		chinese.Text, chinese.Description = strings.Repeat("订单服务应该使用哪个数据库？请根据团队的经验来选择，", 3_500), ""
		r.m.waiting.update([]desk.Record{{ID: "a", State: desk.Pending, Set: question.Set{Questions: []question.Question{chinese}}}})
		for b.Loop() {
			press(tea.KeyPressMsg{Code: 'i', Text: "i"})
			press(tea.KeyPressMsg{Code: tea.KeyEscape})
		}
	})
	b.Run("read", func(b *testing.B) {
		press(tea.KeyPressMsg{Code: 'i', Text: "i"})
		for b.Loop() {
			press(tea.KeyPressMsg{Code: tea.KeyDown})
		}
	})
}

// TestLongNote: what the last key led to is shown whole, where the edge is too
// short for it above that.
func TestLongNote(t *testing.T) {
	for _, width := range []int{40, 80, 100} {
		r := newRig(t, width, 12)
		r.claude(database())
		r.open()
		r.m.note = "The question cannot be opened: " + strings.Repeat("so it is, ", 6) + "alas."
		r.see("cannot be opened:", "so it is,", "alas.", "Database")
		checkScreen(t, r)
	}
}
