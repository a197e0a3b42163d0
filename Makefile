# signalk-mcp: see README.md. Each target is one or two lines; `make` alone lists them.
GO      ?= go
BIN     := bin/signalk-mcp
# Signal K speaks HTTP/1.1, as WebSockets need it: HTTP/2 stays out of the binary, 450 kB.
BUILD   := -trimpath -tags nethttpomithttp2
STRIP   := $(BUILD) -ldflags "-s -w"
FUZZ    ?= 10s
LIMIT   := 11000000# bytes of a stripped boat binary
DIST    := dist/signalk-mcp
BOARDS  := linux-arm64 linux-armv7 linux-armv6
TARGETS := $(BOARDS) linux-amd64 linux-riscv64 darwin-arm64 darwin-amd64 windows-amd64.exe
# What the MCP bundle has. Its 32-bit ARM is version 6, which 7 runs too.
BUNDLED := linux-arm64 linux-armv6 linux-amd64 darwin-arm64 darwin-amd64 windows-amd64.exe
# The version without Go's v. A build outside of git has none.
VERSION  = $(shell $(GO) version -m $(DIST)-linux-arm64 | \
  awk '$$1 == "mod" {sub("^v", "", $$3); print $$3 == "(devel)" ? "0.0.0-devel" : $$3}')

.DEFAULT_GOAL := help
.PHONY: help build breakeven audit run test race lint fuzz bench budget compare golden docs matrix test-real test-hosts test-cable \
  test-browser test-arm64 test-qemu test-deb test-mcpb test-release test-same cross size deb mcpb dist notes vuln FORCE

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

build: ## build bin/signalk-mcp
	CGO_ENABLED=0 $(GO) build $(BUILD) -o $(BIN) ./cmd/signalk-mcp

breakeven: ## build bin/breakeven, which measures; it is no part of the boat's program
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/breakeven ./cmd/breakeven

audit: breakeven ## what the catalogue costs a model in every turn
	./bin/breakeven audit

run: build ## print what the seven tools say of the made-up boat
	./$(BIN) say -mock -log-level error

test: ## run the tests
	$(GO) test ./...

race: ## run the tests under the race detector (needs a C compiler)
	$(GO) test -race ./...

lint: ## check format and vet, with every build tag
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "not gofmt-ed" >&2; exit 1; }
	$(GO) vet ./... && $(GO) vet -tags real,hosts,cable,budget,browser ./cmd/... ./mock && $(GO) vet -tags fused ./mock
	$(GO) vet -C deploy/release -tags qemu,deb,mcpb .

fuzz: ## fuzz what reads the wire, FUZZ=10s each
	@set -e; for f in signalk:FuzzFeed signalk:FuzzPath signalk:FuzzAnswers tools:FuzzArguments tools:FuzzText cmd/signalk-mcp:FuzzStdin cmd/breakeven:FuzzTranscript; do \
	  echo "== $$f"; $(GO) test -run '^$$' -fuzz "^$${f#*:}$$" -fuzztime $(FUZZ) ./$${f%%:*}; done

bench: ## run the benchmarks
	$(GO) test -run '^$$' -bench . -benchmem ./...

budget: build ## fail if memory or start are over their budget (Linux)
	$(GO) test -tags budget -run TestBudget -count=1 -v ./cmd/signalk-mcp

compare: $(DIST)-linux-amd64 ## measure it beside curl and a server in TypeScript (needs Node 20, npm and curl)
	cd cmd/signalk-mcp/testdata/tsclient && npm ci --no-audit --no-fund
	$(GO) test -tags budget -run TestCompare -count=1 -v ./cmd/signalk-mcp -update

golden: ## rewrite the golden files; the diff is the review
	$(GO) test ./tools ./cmd/signalk-mcp ./cmd/breakeven -update

docs: ## write the manual and the completions in deploy/
	$(GO) test ./cmd/signalk-mcp -run TestDocs -update

test-real: ## compare every tool, the mock and the recipe with real Signal K servers (needs Node 20, npm, curl, jq)
	$(GO) test -tags real -run TestReal -count=1 -p 1 -timeout 12m ./cmd/... ./mock

test-hosts: ## talk to it with others' clients, and measure a foreign server (needs Node 20, npm, curl, jq)
	for d in cmd/signalk-mcp/testdata/tsclient cmd/breakeven/testdata/node mock/testdata/jsclient; do \
	  (cd $$d && npm ci --no-audit --no-fund) || exit; done
	$(GO) test -tags hosts -run TestHosts -count=1 ./cmd/... ./mock

test-browser: ## look at the mock's page with a real browser (needs chromium, Node 20 and npm)
	cd cmd/signalk-mcp/testdata/browser && npm ci --no-audit --no-fund
	$(GO) test -tags browser -run TestBrowser -count=1 ./cmd/signalk-mcp

test-arm64: ## show that the mock says the same bytes on arm64 (needs qemu-user-static)
	$(GO) test -tags fused -trimpath -run TestNoFusedArithmetic -count=1 ./mock
	CGO_ENABLED=0 GOARCH=arm64 $(GO) test -trimpath -exec qemu-aarch64-static -run 'TestExact|SameBytes' -count=1 ./mock

matrix: ## play every scenario with every fault, and print how many answers were checked
	@said=$$($(GO) test -run TestMatrix -count=1 -v ./cmd/signalk-mcp); code=$$?; echo "$$said" | grep -E 'matrix_|^ok|^FAIL'; exit $$code

test-cable: ## cut the cable between two hosts in network namespaces (needs root and iproute2)
	$(GO) test -tags cable -run TestCable -count=1 -v ./cmd/signalk-mcp

# Two tests of hostile text are left out: half a minute there, and no number in them.
test-qemu: $(BOARDS:%=$(DIST)-%) $(DIST)-linux-amd64 ## run the boards' binaries on emulated ARM (needs qemu-user-static)
	$(GO) test -C deploy/release -tags qemu -run 'Board|Emulator' -count=1 .
	CGO_ENABLED=0 GOARCH=arm GOARM=6 $(GO) test $(BUILD) -exec "qemu-arm-static -cpu arm1176" \
	  -skip 'TestHostileText|Fuzz' ./units ./tools

# A Debian with systemd, to be booted in a container.
bin/debian.tar:
	mkdir -p bin && mmdebstrap --quiet --variant=minbase --include=systemd-sysv,socat bookworm $@

test-deb: deb bin/debian.tar ## live with the package in a fresh Debian (needs root, lintian, mmdebstrap, systemd-container)
	$(GO) test -C deploy/release -tags deb -run 'Package|Version|Unit|Newcomer' -count=1 .

test-mcpb: mcpb ## unpack the MCP bundle as a host does, and start it (needs Node 20 and npm)
	cd deploy/release/testdata/node && npm ci --no-audit --no-fund --ignore-scripts
	$(GO) test -C deploy/release -tags mcpb -run 'InstalledBundle|Launcher|DockerfileSyntax' -count=1 .

test-release: ## check what is made for a release: bills of materials, licences, manifests
	$(GO) test -C deploy/release .

cross: $(TARGETS:%=$(DIST)-%) ## build for every target, static and stripped: TARGETS="linux-arm64 ..."

# linux-armv7 is GOOS=linux GOARCH=arm GOARM=7, windows-amd64.exe GOOS=windows
# GOARCH=amd64. The version is git's, and in a build outside of git (devel).
$(DIST)-%: FORCE
	CGO_ENABLED=0 GOOS=$(word 1,$(subst -, ,$*)) GOARCH=$(basename $(patsubst armv%,arm,$(word 2,$(subst -, ,$*)))) \
	  GOARM=$(patsubst armv%,%,$(filter armv%,$(subst -, ,$*))) $(GO) build -buildvcs=true $(STRIP) -o $@ ./cmd/signalk-mcp

test-same: $(DIST)-linux-arm64 ## build a binary again from a clean clone, with an empty cache: the same bytes
	@set -e; d=$$(mktemp -d); trap 'rm -rf "$$d"' EXIT; git clone -q . "$$d/elsewhere"; \
	  GOCACHE="$$d/cache" $(MAKE) -s -C "$$d/elsewhere" $<; cmp $< "$$d/elsewhere/$<"; echo "$<: the same bytes"

size: $(BOARDS:%=$(DIST)-%) ## fail if a boat binary is over its budget
	@set -e; for f in $^; do n=$$(wc -c < $$f); echo "$$n $$f"; \
	  [ $$n -le $(LIMIT) ] || { echo "$$f is over $(LIMIT) bytes" >&2; exit 1; }; done

bin/release: FORCE
	$(GO) build -C deploy/release -o ../../$@ .

dist/copyright: $(DIST)-linux-arm64 bin/release
	bin/release copyright $< > $@

deb: $(DIST)-linux-arm64 $(DIST)-linux-armv6 $(DIST)-linux-amd64 dist/copyright ## make the Debian packages
	@rm -f dist/*.deb
	@# Debian's armhf is ARMv7, but Raspberry Pi OS calls ARMv6 so too: one package for both.
	@set -e; for p in arm64:arm64 armhf:armv6 amd64:amd64; do \
	  deploy/debian/package.sh $(VERSION) $${p%:*} $(DIST)-linux-$${p#*:} dist/copyright dist; done

mcpb: $(BUNDLED:%=$(DIST)-%) dist/copyright bin/release ## make the MCP bundle and its server.json
	deploy/mcpb/bundle.sh $(VERSION) dist $(BUNDLED:%=$(DIST)-%)

dist: cross deb mcpb ## make all that is released, with bills of materials, notes and checksums
	set -e; for t in $(TARGETS); do bin/release sbom $(DIST)-$$t > $(DIST)-$$t.cdx.json; done
	$(MAKE) -s notes > dist/notes.md
	cd dist && LC_ALL=C sha256sum signalk-mcp* server.json > SHA256SUMS

notes: ## print the release notes: the newest part of the changelog
	@awk '/^## / {if (on) exit; on = 1; next} on' CHANGELOG.md | sed -e '/./,$$!d'

vuln: ## look for known weaknesses in what is linked (needs vuln.go.dev)
	$(GO) run golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./...
