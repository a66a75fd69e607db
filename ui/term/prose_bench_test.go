package term

import (
	"strings"
	"testing"
)

// BenchmarkChinese is how long as much text as a call may carry takes to be read
// whole.
func BenchmarkChinese(b *testing.B) {
	text := strings.Repeat("订单服务应该使用哪个数据库？请根据团队的经验来选择，", 3500)
	b.Run("tame", func(b *testing.B) {
		for b.Loop() {
			Safe(text)
		}
	})
	b.Run("wrap", func(b *testing.B) {
		for b.Loop() {
			Wrap(text, 76)
		}
	})
}
