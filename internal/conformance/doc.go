// Package conformance runs the protocol's own test suite against server/http.
// The suite calls tools by fixed names, so its fixtures stand in for ours; what
// is tested is the transport. Its tests have the build tag conformance; `make
// conformance` installs the suite from npm, with a Node of its own, and runs
// them. The files *.yml name what does not apply, and why.
package conformance
