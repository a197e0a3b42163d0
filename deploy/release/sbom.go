package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// zoneData is the one thing inside that is no Go module; tools/zone/LICENSE-DATA
// tells of it.
var zoneData = cdx.Component{
	BOMRef: "data:timezone-boundary-builder", Type: cdx.ComponentTypeData,
	Name: "timezone-boundary-builder", Version: "2025b",
	Copyright: "© OpenStreetMap contributors",
	Licenses:  &cdx.Licenses{{License: &cdx.License{ID: "ODbL-1.0"}}},
}

// sbom writes the bill of materials.
func (b *binary) sbom(out io.Writer) error {
	text, err := os.ReadFile(b.file)
	if err != nil {
		return err
	}
	hash := sha256.Sum256(text)
	self := cdx.Component{
		BOMRef: purl(b.info.Main.Path, b.info.Main.Version), Type: cdx.ComponentTypeApplication,
		Name: "signalk-mcp", Version: b.info.Main.Version, PackageURL: purl(b.info.Main.Path, b.info.Main.Version),
		Licenses:   licences(b.self.spdx),
		Hashes:     &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: fmt.Sprintf("%x", hash)}},
		Properties: &[]cdx.Property{{Name: "file", Value: filepath.Base(b.file)}},
	}
	for _, s := range b.info.Settings {
		*self.Properties = append(*self.Properties, cdx.Property{Name: "go:" + s.Key, Value: s.Value})
	}
	components := []cdx.Component{}
	needs := []string{zoneData.BOMRef}
	for _, m := range b.modules {
		ref := purl(m.path, m.version)
		c := cdx.Component{
			BOMRef: ref, Type: cdx.ComponentTypeLibrary, Name: m.path, Version: m.version,
			PackageURL: ref, Licenses: licences(m.spdx),
		}
		if m.sum != "" {
			c.Properties = &[]cdx.Property{{Name: "go:sum", Value: m.sum}}
		}
		components, needs = append(components, c), append(needs, ref)
	}
	components = append(components, zoneData)
	bom := cdx.NewBOM()
	// The number is the binary's own: made of its hash, in the form of RFC 9562,
	// version 8.
	id := hash
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80
	bom.SerialNumber = fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:16])
	bom.Metadata = &cdx.Metadata{Timestamp: b.setting("vcs.time"), Component: &self}
	bom.Components = &components
	// Which module needs which is not in the binary: only what is linked.
	bom.Dependencies = &[]cdx.Dependency{{Ref: self.BOMRef, Dependencies: &needs}}
	return cdx.NewBOMEncoder(out, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6)
}

func licences(spdx string) *cdx.Licenses { return &cdx.Licenses{{Expression: spdx}} }

// purl is the address of a Go module among packages.
func purl(path, version string) string {
	if version == "(devel)" {
		return "pkg:golang/" + path
	}
	return "pkg:golang/" + path + "@" + version
}
