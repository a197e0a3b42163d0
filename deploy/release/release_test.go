package main

import (
	"archive/zip"
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// program builds this machine's own binary, and goes to where its modules are.
func program(t *testing.T) string {
	t.Helper()
	t.Chdir("../..")
	file := filepath.Join(t.TempDir(), "signalk-mcp")
	c := exec.Command("go", "build", "-trimpath", "-tags", "nethttpomithttp2", "-o", file, "./cmd/signalk-mcp") // as make does
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := c.CombinedOutput()
	require.NoError(t, err, string(out))
	return file
}

func TestBillOfMaterials(t *testing.T) {
	file := program(t)
	var out, again bytes.Buffer
	require.NoError(t, run([]string{"sbom", file}, &out))
	require.NoError(t, run([]string{"sbom", file}, &again))
	assert.Equal(t, out.String(), again.String())

	// CycloneDX 1.6's own schema, as its Go library has it.
	folder, err := exec.Command("go", "list", "-C", "deploy/release", "-m", "-f", "{{.Dir}}",
		"github.com/CycloneDX/cyclonedx-go").Output()
	require.NoError(t, err)
	schema := filepath.Join(strings.TrimSpace(string(folder)), "schema/bom-1.6.schema.json")
	require.NoError(t, valid(t, schema, out.Bytes()))
	require.Error(t, valid(t, schema, bytes.Replace(out.Bytes(), []byte(`"library"`), []byte(`"book"`), 1)))

	var bom cdx.BOM
	require.NoError(t, cdx.NewBOMDecoder(&out, cdx.BOMFileFormatJSON).Decode(&bom))
	info, err := buildinfo.ReadFile(file)
	require.NoError(t, err)
	want := []string{"stdlib " + strings.TrimPrefix(info.GoVersion, "go"), "timezone-boundary-builder 2025b"}
	for _, d := range info.Deps {
		want = append(want, d.Path+" "+d.Version)
	}
	var got []string
	for _, c := range *bom.Components {
		got = append(got, c.Name+" "+c.Version)
		assert.NotEmpty(t, *c.Licenses, c.Name)
	}
	assert.ElementsMatch(t, want, got)
	assert.Equal(t, info.Main.Version, bom.Metadata.Component.Version)
}

func TestCopyright(t *testing.T) {
	file := program(t)
	var out bytes.Buffer
	require.NoError(t, run([]string{"copyright", file}, &out))
	info, err := buildinfo.ReadFile(file)
	require.NoError(t, err)
	for _, d := range info.Deps {
		assert.Regexp(t, `(?m)^Files: `+regexp.QuoteMeta(d.Path+"@"+d.Version)+`/\*\nCopyright: .*\d{4}.*\nLicense: [A-Z]`, out.String())
	}
	assert.Contains(t, out.String(), "OpenStreetMap")
	for line := range strings.Lines(out.String()) { // a blank line would end the stanza
		assert.Regexp(t, `^( \S| +\S|[A-Z][A-Za-z-]+: |\n$)`, line)
	}
}

func TestUnknownLicence(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	_, err := readLicence(folder)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "LICENSE"), []byte("All rights reserved."), 0o644))
	_, err = readLicence(folder)
	require.ErrorContains(t, err, "read it")
}

func TestWrongArguments(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"sbom"}, {"sbom", "main.go"}, {"sbom", "nowhere"}, {"bundle", "nowhere"}} {
		assert.Error(t, run(args, &bytes.Buffer{}), "%q", args)
	}
}

func TestBundle(t *testing.T) {
	t.Parallel()
	var first, second bytes.Buffer
	for out, mode := range map[*bytes.Buffer]os.FileMode{&first: 0o755, &second: 0o700} { // two folders, times and umasks
		folder := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(folder, "text"), []byte("text"), 0o600))
		require.NoError(t, os.Mkdir(filepath.Join(folder, "server"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "server", "program"), []byte("program"), mode))
		require.NoError(t, run([]string{"bundle", folder}, out))
	}
	assert.Equal(t, first.Bytes(), second.Bytes())
	z, err := zip.NewReader(bytes.NewReader(first.Bytes()), int64(first.Len()))
	require.NoError(t, err)
	modes := map[string]os.FileMode{}
	for _, f := range z.File {
		modes[f.Name] = f.Mode()
	}
	assert.Equal(t, map[string]os.FileMode{"text": 0o644, "server/program": 0o755}, modes)
}

// The notes of a release are the newest part of the changelog, without its heading.
func TestNotes(t *testing.T) {
	t.Parallel()
	notes, err := exec.Command("make", "-s", "-C", "../..", "notes").Output()
	require.NoError(t, err)
	changelog, err := os.ReadFile("../../CHANGELOG.md")
	require.NoError(t, err)
	assert.Contains(t, string(changelog), "\n\n"+string(notes))
	assert.True(t, strings.HasPrefix(string(notes), "- ["), string(notes))
	assert.NotContains(t, string(notes), "\n## ")
}

// valid checks JSON against a schema, whose references to other files lie beside it.
func valid(t *testing.T, schema string, text []byte) error {
	t.Helper()
	load := func(file string) *jsonschema.Schema {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		var s jsonschema.Schema
		require.NoError(t, json.Unmarshal(raw, &s))
		return &s
	}
	resolved, err := load(schema).Resolve(&jsonschema.ResolveOptions{Loader: loader(filepath.Dir(schema), load)})
	require.NoError(t, err)
	var value any
	require.NoError(t, json.Unmarshal(text, &value))
	return resolved.Validate(value)
}

// loader finds the schemas that a schema refers to by their names. The one for
// signatures is not in the library, and nothing of ours is signed.
func loader(folder string, load func(string) *jsonschema.Schema) func(*url.URL) (*jsonschema.Schema, error) {
	return func(u *url.URL) (*jsonschema.Schema, error) {
		if strings.HasPrefix(path.Base(u.Path), "jsf-") {
			return &jsonschema.Schema{Definitions: map[string]*jsonschema.Schema{"signature": {}}}, nil
		}
		return load(filepath.Join(folder, path.Base(u.Path))), nil
	}
}
