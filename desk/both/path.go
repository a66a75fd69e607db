package both

import (
	"math"
	"sort"
	"sync"

	"mcp-askuser/desk/store"
)

// point is a place in the changes of both stores: the last revision seen of each side.
type point [2]int64

// path gives both stores one row of revisions. It leads through the points that this process
// has met, from zero, one revision of one side a step; its corners are where it turns. The
// number of a revision is how many steps lead to it, so that a number is a point too: the
// sum of its two sides. As long as one side has no rows, numbers are the revisions of the other.
//
// A number means that a reader has seen everything up to its point. What another reader
// has met lies on the path as well, therefore a read must hand out no number beyond what it
// covers itself.
type path struct {
	mu      sync.Mutex
	corners []point // without zero, where it begins
}

// head returns the end of the path.
func (p *path) head() point {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.corner(len(p.corners))
}

// corner returns the n-th corner; zero is the beginning. Callers must hold p.mu.
func (p *path) corner(n int) point {
	if n == 0 {
		return point{}
	}
	return p.corners[n-1]
}

// at returns the point of a number; the head for one beyond it.
func (p *path) at(number int64) point {
	p.mu.Lock()
	defer p.mu.Unlock()
	if number <= 0 {
		return point{}
	}
	n := sort.Search(len(p.corners), func(i int) bool { return p.corners[i][near]+p.corners[i][far] >= number })
	if n == len(p.corners) {
		return p.corner(n)
	}
	from, to := p.corner(n), p.corner(n+1)
	back := to[near] + to[far] - number
	if from[near] < to[near] {
		return point{to[near] - back, to[far]}
	}
	return point{to[near], to[far] - back}
}

// number returns that of a revision.
func (p *path) number(of side, revision int64) int64 {
	if revision <= 0 {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.extend(of, revision)
	before := point{math.MaxInt64, math.MaxInt64}
	before[of] = revision - 1
	return p.last(before) + 1
}

// cover extends the path to a point, and returns the number of the last point on it that
// lies beyond that on neither side.
func (p *path) cover(to point) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.extend(near, to[near])
	p.extend(far, to[far])
	return p.last(to)
}

// extend leads the path to a revision. Callers must hold p.mu.
func (p *path) extend(of side, revision int64) {
	n := len(p.corners)
	end := p.corner(n)
	if revision <= end[of] {
		return
	}
	straight := n > 0 && p.corner(n - 1)[of] < end[of]
	end[of] = revision
	if straight {
		p.corners[n-1] = end
		return
	}
	p.corners = append(p.corners, end)
}

// last is cover without an extension. Callers must hold p.mu.
func (p *path) last(within point) int64 {
	n := sort.Search(len(p.corners), func(i int) bool {
		return p.corners[i][near] > within[near] || p.corners[i][far] > within[far]
	})
	end := p.corner(min(n+1, len(p.corners))) // at the latest between the last corner within and the next
	return min(end[near], within[near]) + min(end[far], within[far])
}

// numbered gives a row the revision of both stores.
func (s *Store) numbered(of side, row store.Row) store.Row {
	row.Revision = s.path.number(of, row.Revision)
	return row
}
