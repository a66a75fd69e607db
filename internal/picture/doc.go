// Package picture draws a moving picture: what a terminal showed, cell by cell,
// and what a browser showed, one after the other, as one SVG that moves without a
// script. The README has one; make picture records it anew from the real program.
// All of it is tests.
package picture
