# signalk-mcp: see README.md. Each target is one or two lines; `make` alone lists them.
GO      ?= go
BIN     := bin/signalk-mcp
# Signal K speaks HTTP/1.1, as WebSockets need it: HTTP/2 stays out of the binary, 450 kB.
BUILD   := -trimpath -tags nethttpomithttp2
STRIP   := $(BUILD) -ldflags "-s -w"
FUZZ    ?= 10s
LIMIT   := 11000000# bytes of a stripped boat binary

.DEFAULT_GOAL := help
.PHONY: help build run test race lint fuzz bench golden docs test-real test-hosts test-cable cross size

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

build: ## build bin/signalk-mcp
	CGO_ENABLED=0 $(GO) build $(BUILD) -o $(BIN) ./cmd/signalk-mcp

run: build ## print what the seven tools say of the made-up boat
	./$(BIN) say -mock -log-level error

test: ## run the tests
	$(GO) test ./...

race: ## run the tests under the race detector (needs a C compiler)
	$(GO) test -race ./...

lint: ## check format and vet, with every build tag
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "not gofmt-ed" >&2; exit 1; }
	$(GO) vet ./... && $(GO) vet -tags real,hosts,cable ./cmd/signalk-mcp

fuzz: ## fuzz what reads the wire, FUZZ=10s each
	@set -e; for f in signalk:FuzzFeed signalk:FuzzPath signalk:FuzzAnswers tools:FuzzArguments tools:FuzzText cmd/signalk-mcp:FuzzStdin; do \
	  echo "== $$f"; $(GO) test -run '^$$' -fuzz "^$${f#*:}$$" -fuzztime $(FUZZ) ./$${f%%:*}; done

bench: ## run the benchmarks
	$(GO) test -run '^$$' -bench . -benchmem ./...

golden: ## rewrite the golden files; the diff is the review
	$(GO) test ./tools ./cmd/signalk-mcp -update

docs: ## write the manual and the completions in deploy/
	$(GO) test ./cmd/signalk-mcp -run TestDocs -update

test-real: ## compare every tool with a real Signal K server (needs Node 20 and npm)
	$(GO) test -tags real -run TestReal -count=1 -timeout 10m ./cmd/signalk-mcp

test-hosts: ## talk to it with the TypeScript SDK (needs Node 20 and npm)
	cd cmd/signalk-mcp/testdata/tsclient && npm ci --no-audit --no-fund
	$(GO) test -tags hosts -run TestHosts -count=1 ./cmd/signalk-mcp

test-cable: ## cut the cable between two hosts in network namespaces (needs root and iproute2)
	$(GO) test -tags cable -run TestCable -count=1 -v ./cmd/signalk-mcp

cross: ## build for linux/arm64, armv7 and armv6
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 $(GO) build $(STRIP) -o dist/signalk-mcp-linux-arm64 ./cmd/signalk-mcp
	CGO_ENABLED=0 GOOS=linux GOARCH=arm GOARM=7 $(GO) build $(STRIP) -o dist/signalk-mcp-linux-armv7 ./cmd/signalk-mcp
	CGO_ENABLED=0 GOOS=linux GOARCH=arm GOARM=6 $(GO) build $(STRIP) -o dist/signalk-mcp-linux-armv6 ./cmd/signalk-mcp

size: cross ## fail if a binary is over its budget
	@set -e; for f in dist/signalk-mcp-linux-*; do n=$$(wc -c < $$f); echo "$$n $$f"; \
	  [ $$n -le $(LIMIT) ] || { echo "$$f is over $(LIMIT) bytes" >&2; exit 1; }; done
