// Gen makes the data of package zone, and measures it.
//
//	gen grid -o ../zones.bin
//	gen agree -o ../agreement.json
//
// Grid packs the time zone boundaries that come with github.com/ringsaturn/tzf;
// the same input gives the same bytes. Agree compares package zone, as it was
// when gen was built, with the finder of tzf. It is a module of its own so that
// neither the boundaries, of 11 MB, nor tzf get into the module that uses the
// packed ones. Where the two modules require the same, go.mod here has to follow
// that one, so go commands here take -mod=mod.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

func main() { os.Exit(run(os.Args[1:], os.Stderr)) }

func run(args []string, stderr io.Writer) int {
	outputs := map[string]func() ([]byte, error){
		"grid":  grid,
		"agree": func() ([]byte, error) { return agreement("../testdata/ports.csv") },
	}
	if len(args) == 0 || outputs[args[0]] == nil {
		fmt.Fprintln(stderr, "usage: gen grid|agree -o file")
		return 2
	}
	flags := flag.NewFlagSet("gen "+args[0], flag.ContinueOnError)
	flags.SetOutput(stderr)
	path := flags.String("o", os.DevNull, "file to write")
	if err := flags.Parse(args[1:]); err != nil {
		return 2
	}
	out, err := outputs[args[0]]()
	if err == nil {
		err = os.WriteFile(*path, out, 0o644)
	}
	if err != nil {
		fmt.Fprintf(stderr, "gen %s: %v\n", args[0], err)
		return 1
	}
	fmt.Fprintf(stderr, "gen %s: %d bytes\n", args[0], len(out))
	return 0
}

// grid returns the boundaries of the data module as the bytes of zones.bin.
func grid() ([]byte, error) {
	b, err := load()
	if err != nil {
		return nil, err
	}
	return pack(b)
}
