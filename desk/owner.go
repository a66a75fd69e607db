package desk

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"slices"
)

// Placer is a store that chooses where a new record is kept, and whose credential
// may own it. Place returns the id that the record gets there: see [Owned]. A
// record that goes back to an earlier one has the owner of that.
type Placer interface {
	Place(ctx context.Context, id, earlier string) (string, error)
}

// The characters of an id that name its owner: 30 bits after the time, before 50
// random bits. The ids of one process still ascend.
const ownerFrom, ownerTo = 10, 16

// Owned returns an id with the mark of its owner, a credential by its name. On a
// store with credentials a document whose id has the mark of another owner than
// its place does not count: no credential can write under a foreign id.
func Owned(id, owner string) string { return id[:ownerFrom] + OwnerMark(owner) + id[ownerTo:] }

// OwnedBy reports whether an id, which must be valid, has the mark of an owner.
func OwnedBy(id, owner string) bool { return id[ownerFrom:ownerTo] == OwnerMark(owner) }

// OwnerMark is the mark of an owner in ids.
func OwnerMark(owner string) string {
	sum := sha256.Sum256([]byte(owner))
	return base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").EncodeToString(sum[:5])[:ownerTo-ownerFrom]
}

// placeRecord gives a new record its id, its time and its home, before anything of it
// is stored.
func (d *Desk) placeRecord(ctx context.Context, rec *Record) (err error) {
	rec.ID, rec.CreatedAt = d.nextID()
	if of, ok := d.store.(Placer); ok {
		if rec.ID, err = of.Place(ctx, rec.ID, rec.Earlier); err != nil {
			return err
		}
	}
	if d.keeper != nil {
		rec.Home = d.keeper.Home(rec.ID)
	}
	return nil
}

// lastOfEachOwner returns the last id of each owner, of ids that ascend.
func lastOfEachOwner(ids []string) []string {
	var out []string
	for _, id := range slices.Backward(ids) {
		if !slices.ContainsFunc(out, func(of string) bool { return of[ownerFrom:ownerTo] == id[ownerFrom:ownerTo] }) {
			out = append(out, id)
		}
	}
	return out
}
