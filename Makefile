# ./check         install what the tests need, make included, then make test
# make build      bin/mcp-askuser, as it is released
# make test       every test that needs nothing from outside, with the race detector and a browser
# make lint       vet for three systems, golangci-lint
# make fuzz       every fuzz target for FUZZTIME executions
# make bench      what is promised, measured: bin/figures/figures.txt
# make long       races, kills, users who type to another program, 10,000 questions, nodes that fall
# make e2e        the MCP Inspector against the built program
# make conformance  the protocol's own test suite against the HTTP transport
# make hosts      the real Codex, Claude Code, Copilot CLI, Gemini CLI and OpenCode
# make generate   schemas, the API's description, man pages (bin/man)
# make size       lines of Go that the program consists of, room by room; has a limit
# make cover      how much of the code the unit tests run
# make release-check  the configuration of releases, and a build with it

GO       ?= go
FUZZTIME ?= 5000x
GORELEASER  = github.com/goreleaser/goreleaser/v2@v2.14.0
GOLANGCI    = github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

# Names what is missing, and installs it: the needs stand in check.
apt = ./check $(1)

# The race detector would have each process wait for a second at its end.
export GORACE = atexit_sleep_ms=0

.PHONY: build test deps deps-browser unit browser e2e hosts conformance long bench fuzz lint size cover generate release-check clean

# The program as it is released: static. For another system:
# make build FOR="GOOS=darwin GOARCH=arm64".
build:
	CGO_ENABLED=0 $(FOR) $(GO) build -trimpath -ldflags="-s -w" -o bin/ ./cmd/...

test: deps unit browser

# The race detector needs a C compiler; panes are tested in a real tmux, the guide's
# front end by Python.
deps:
	@$(call apt,gcc tmux git python3)

# The race detector, but for the translation of SQLite from C, which a connection has for itself, and
# what only measures texts: it would take most of the time of the tests there.
PLAIN = github.com/ncruces/go-sqlite3-wasm/v6 github.com/charmbracelet/x/ansi github.com/clipperhouse/uax29/v2/graphemes \
	github.com/rivo/uniseg
RACE  = -race $(foreach package,$(PLAIN),-gcflags=$(package)=-race=false)

# The slowest tests wait, for pauses and timeouts, more than they compute: more of them at
# once than there are processors.
unit:
	$(GO) test $(RACE) -timeout 20m -p 4 -parallel 4 ./...

# The page in a real browser, and axe-core on it. With the race detector, as else all packages
# would be built once more.
browser: deps-browser
	$(GO) vet $(RACE) -tags browser ./ui/web ./cmd/mcp-askuser ./internal/...
	$(GO) test $(RACE) -tags browser -count=1 -timeout 20m -parallel 4 -run '^TestBrowser' ./ui/web ./cmd/mcp-askuser

deps-browser: e2e/npm/axe/node_modules/.stamp
	@$(call apt,chromium fonts)

# The packages that tests take from npm, each set with its own lock file.
e2e/npm/%/node_modules/.stamp: e2e/npm/%/package.json e2e/npm/%/package-lock.json e2e/npm/%/.npmrc
	@$(call apt,npm)
	cd e2e/npm/$* && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

e2e: e2e/npm/clients/node_modules/.stamp
	$(GO) vet -tags e2e ./e2e
	$(GO) test -tags e2e -count=1 -timeout 6m ./e2e

hosts: build e2e/npm/hosts/node_modules/.stamp
	@$(call apt,tmux)
	$(GO) vet -tags hosts ./e2e/hosts
	$(GO) test -tags hosts -count=1 -timeout 60m -v ./e2e/hosts

conformance: e2e/npm/conformance/node_modules/.stamp
	$(GO) vet -tags conformance ./internal/conformance
	$(GO) test -tags conformance -count=1 -timeout 10m ./internal/conformance

# Half an hour: thousands of races and kills, users who type to another program on every
# terminal surface, 10,000 questions through servers that are killed all the time, and a
# shared desk whose three nodes are killed and stopped.
long: build
	$(GO) test -count=20 -run '^TestRace$$' ./mirror
	KILLS=2000 $(GO) test -count=1 -timeout 60m -run 'Race|Kill' -v ./desk ./desk/local
	TYPINGS=200 $(GO) test $(RACE) -count=1 -timeout 60m -p 1 -run '^TestTypings$$' -v ./ui/tty ./ui/inbox ./ui/pane
	SOAK_QUESTIONS=10000 SOAK_SERVERS=12 SOAK_PROGRAM=$(CURDIR)/bin/mcp-askuser \
	  $(GO) test -run '^TestSoak$$' -count=1 -timeout 60m -v ./cmd/mcp-askuser
	ROUNDS=1000 $(GO) test -p 1 -count=1 -timeout 60m -v ./desk/shared ./desk/both

# Minutes on two quiet cores; ratios are those of pairs, in turns.
bench:
	$(GO) test -run '^TestFigures$$' -count=1 -timeout 20m ./cmd/mcp-askuser -figures $(CURDIR)/bin/figures
	@cat bin/figures/figures.txt

# The binary of each room is built once, and its findings are kept where go test
# keeps them.
# Counted: a fuzztime in seconds can fail without a finding (go.dev/issue/75804, until Go 1.27).
fuzz:
	@mkdir -p bin; for room in $$(git grep -l '^func Fuzz' -- '*_test.go' | xargs -n 1 dirname | sort -u); do \
	  $(GO) test -c -fuzz . -o bin/fuzz.test ./$$room || exit 1; \
	  for f in $$(cd $$room && $(CURDIR)/bin/fuzz.test -test.list '^Fuzz'); do \
	    echo "$$room $$f"; \
	    (cd $$room && $(CURDIR)/bin/fuzz.test -test.run '^$$' -test.fuzz "^$$f$$" -test.fuzztime $(FUZZTIME) \
	      -test.fuzzminimizetime 10x -test.fuzzcachedir "$$($(GO) env GOCACHE)/fuzz/mcp-askuser/$$room") || exit 1; \
	  done; done

# Tests and what only tests import do not count. The limit goes down, but for a new feature.
size: LIMIT = 40022
size:
	@$(GO) list -deps -f '{{if .Module}}{{if .Module.Main}}{{$$d := .Dir}}{{range .GoFiles}}{{$$d}}/{{.}}{{"\n"}}{{end}}{{range .IgnoredGoFiles}}{{$$d}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}' ./cmd/... \
	  | grep -v -e '^$$' -e '_test\.go$$' | xargs awk -v root=$(CURDIR)/ -v limit=$(LIMIT) \
	  '{ room = substr(FILENAME, length(root) + 1); sub("/[^/]*$$", "", room); lines[room]++; sum++ } \
	  END { for (room in lines) printf "%6d  %s\n", lines[room], room | "sort -rn"; close("sort -rn"); \
	  printf "%6d  in all, %d at most\n", sum, limit; exit sum > limit }'

lint:
	GOOS=darwin $(GO) vet ./...
	GOOS=windows $(GO) vet ./...
	$(GO) run $(GOLANGCI) run ./...

# Statements that the tests of any room run count, also in other rooms and in the
# processes that they start of themselves.
cover:
	@mkdir -p bin
	$(GO) test -timeout 30m -coverpkg=./... -coverprofile=bin/cover.out ./... >bin/cover.txt || { grep -v '^ok' bin/cover.txt; exit 1; }
	@awk -F'[: ]' 'NR > 1 { at = $$1 ":" $$2; n[at] = $$3; if ($$4 > 0) hit[at] = 1 } \
	  END { for (at in n) { room = at; sub("/[^/]*$$", "", room); all[room] += n[at]; sum += n[at]; \
	    if (hit[at]) { got[room] += n[at]; ran += n[at] } } \
	    for (room in all) printf "%5.1f%% of %5d  %s\n", 100 * got[room] / all[room], all[room], room | "sort -k4"; \
	    close("sort -k4"); printf "%5.1f%% of %5d  total\n", 100 * ran / sum, sum }' bin/cover.out

generate:
	$(GO) generate ./...

clean:
	rm -rf bin e2e/npm/*/node_modules

# The configuration of releases, and a build of this system's program with it.
# The tool takes some minutes to compile.
release-check:
	set -a; . packaging/home.env; $(GO) run $(GORELEASER) check && $(GO) run $(GORELEASER) build --snapshot --clean --single-target
