package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/itchyny/gojq"
)

// recipeFile is where the recipe lies in this repository.
const recipeFile = "deploy/AGENTS.md"

// recipe is a text by which a model reads the boat with curl and jq.
type recipe struct {
	text     string
	vars     map[string]string // B, V, C
	commands []recipeCommand
}

// recipeCommand is one line of it: curl -fsS URL | jq -c 'PROGRAM'.
type recipeCommand struct{ line, url, program string }

var (
	recipeAssignment = regexp.MustCompile(`^([A-Z])=(\S+)$`)
	recipeLine       = regexp.MustCompile(`^curl -fsS (\S+) \| jq -c '([^']+)'$`)
	fence            = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")
)

// readRecipe reads a recipe's file and takes its commands apart. server is put
// in the place of the address that the recipe names.
func readRecipe(file, server string) (*recipe, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, usageError("no recipe at %s: run this in the repository, or name one with -recipe", file)
	} else if err != nil {
		return nil, err
	}
	r := &recipe{text: string(text), vars: map[string]string{}}
	for _, block := range fence.FindAllStringSubmatch(r.text, -1) {
		for _, line := range strings.Split(strings.TrimSpace(block[1]), "\n") {
			if m := recipeAssignment.FindStringSubmatch(line); m != nil {
				if m[1] == "B" {
					m[2] = server + "/signalk"
				}
				r.vars[m[1]] = os.Expand(m[2], func(k string) string { return r.vars[k] })
			} else if m := recipeLine.FindStringSubmatch(line); m != nil {
				r.commands = append(r.commands, recipeCommand{line, m[1], m[2]})
			} else {
				return nil, fmt.Errorf("%s: %q is neither NAME=VALUE nor curl -fsS URL | jq -c 'PROGRAM'", file, line)
			}
		}
	}
	return r, nil
}

// The addresses by which commands of a recipe are found.
const (
	oneValue  = "$V/environment/wind/speedApparent"
	oneGroup  = "$V/electrical/batteries"
	oneDepth  = "$V/environment/depth"
	allAlarms = "$V/notifications"
)

// command gives the command for an address, and puts another address in its
// place if one is given.
func (r *recipe) command(address, instead string) (recipeCommand, error) {
	for _, c := range r.commands {
		if c.url == address {
			if instead != "" {
				c.url, c.line = instead, strings.Replace(c.line, address, instead, 1)
			}
			return c, nil
		}
	}
	return recipeCommand{}, fmt.Errorf("the recipe has no command for %s", address)
}

// httpError is an answer that is none.
type httpError struct {
	status int
	url    string
}

func (e *httpError) Error() string {
	return fmt.Sprintf("%s: the requested URL returned error: %d", e.url, e.status)
}

const (
	fetchLimit = 16 << 20 // bytes of an answer
	fetchTime  = 10 * time.Second
)

// fetch is the curl of a command.
func fetch(ctx context.Context, client *http.Client, url string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	if token := os.Getenv("SIGNALK_TOKEN"); token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 400 {
		_, _ = io.CopyN(io.Discard, resp.Body, 64<<10)
		return nil, &httpError{resp.StatusCode, url}
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, fetchLimit+1))
	if len(body) > fetchLimit {
		return nil, fmt.Errorf("%s: the answer is larger than %d MiB", url, fetchLimit>>20)
	}
	return body, err
}

// filter is the jq of a command: what it prints, with the members of objects by
// name, where jq has them as the program does.
func (c recipeCommand) filter(ctx context.Context, body []byte) (string, error) {
	query, err := gojq.Parse(c.program)
	if err != nil {
		return "", fmt.Errorf("jq program %s: %w", c.program, err)
	}
	var in any
	if err := json.Unmarshal(body, &in); err != nil {
		return "", fmt.Errorf("jq: %w", err)
	}
	var out strings.Builder
	for iter := query.RunWithContext(ctx, in); ; {
		v, ok := iter.Next()
		if !ok {
			return strings.TrimSuffix(out.String(), "\n"), nil
		}
		if err, ok := v.(error); ok {
			return "", fmt.Errorf("jq: %w", err)
		}
		line, err := gojq.Marshal(v)
		if err != nil {
			return "", err
		}
		out.Write(append(line, '\n'))
	}
}

// run runs one command of the recipe: what curl fetched and what jq printed.
func (r *recipe) run(ctx context.Context, c recipeCommand) (raw []byte, printed string, err error) {
	url := os.Expand(c.url, func(k string) string { return r.vars[k] })
	if raw, err = fetch(ctx, http.DefaultClient, url); err == nil {
		printed, err = c.filter(ctx, raw)
	}
	return raw, printed, err
}
