package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// usage is what agents' transcripts say of input, in tokens.
type usage struct {
	Files    int `json:"files"`
	Messages int `json:"messages"`
	// Repeated are lines with a message that was there before, Skipped those that
	// are no JSON, too long or have impossible numbers.
	Repeated int   `json:"repeated"`
	Skipped  int   `json:"skipped"`
	Plain    int64 `json:"input_tokens"`
	Read     int64 `json:"cache_read"`
	Write    int64 `json:"cache_write_5m"`
	Hour     int64 `json:"cache_write_1h"`
}

func newUsage(f *flag.FlagSet) func(context.Context, output) error {
	price := priceFlags(f)
	return func(_ context.Context, o output) error {
		if len(o.args) == 0 {
			return usageError("which transcripts: files with a JSON object a line")
		}
		if err := price.check(); err != nil {
			return err
		}
		u, err := readTranscripts(o.args)
		if err != nil {
			return err
		}
		result := struct {
			*usage
			Warm       float64 `json:"warm"`
			Cold       float64 `json:"cold"`
			Multiplier float64 `json:"multiplier"`
			Bill       float64 `json:"of_all_input"`
		}{u, u.warm(), 1 - u.warm(), u.multiplier(*price), u.bill(*price)}
		return o.show(result, func(w io.Writer) {
			t := newTable("input", "tokens", "price")
			t.row("from the cache", u.Read, price.Read)
			t.row("into it, 5 minutes", u.Write, price.Write)
			t.row("into it, an hour", u.Hour, price.Hour)
			t.row("neither", u.Plain, 1.0)
			t.write(w)
			fmt.Fprintf(w, "%s in %s; %d repeated and %d unreadable lines left out.\n", plural(u.Messages, "message"), plural(u.Files, "file"), u.Repeated, u.Skipped)
			if u.cached() == 0 {
				fmt.Fprintln(w, "Nothing was cached: the standing part costs its whole price in every turn.")
				return
			}
			fmt.Fprintf(w, "The cache was warm for %.1f %% of what went through it and cold for %.1f %%: the standing part costs %.3f of its price.\n",
				100*result.Warm, 100*result.Cold, result.Multiplier)
			fmt.Fprintf(w, "All input together costs %.3f of its price.\n", result.Bill)
		})
	}
}

func (u *usage) cached() int64 { return u.Read + u.Write + u.Hour }

// warm is the share of what went through the cache that was found there.
func (u *usage) warm() float64 {
	if u.cached() == 0 {
		return 0
	}
	return float64(u.Read) / float64(u.cached())
}

// multiplier is what caching left of the price of what went through the cache.
// What was never cached is left out: it is the newest of each turn, not the
// standing part.
func (u *usage) multiplier(p prices) float64 {
	if u.cached() == 0 {
		return 1
	}
	return multiplier(u.warm(), p.Read, u.write(p))
}

// write is the mean price of writing to the cache; 1 if nothing was written.
func (u *usage) write(p prices) float64 {
	if u.Write+u.Hour == 0 {
		return 1
	}
	return (float64(u.Write)*p.Write + float64(u.Hour)*p.Hour) / float64(u.Write+u.Hour)
}

// bill is what all input cost, of its plain price.
func (u *usage) bill(p prices) float64 {
	all := float64(u.Plain + u.cached())
	if all == 0 {
		return 1
	}
	return (float64(u.Plain) + float64(u.Read)*p.Read + float64(u.Write)*p.Write + float64(u.Hour)*p.Hour) / all
}

const (
	maxLine   = 16 << 20 // bytes of a line of a transcript; longer ones are skipped
	maxTokens = 100_000_000
)

// readTranscripts adds up what transcripts say. The same message is often there
// several times: once for each of its parts, and again where a session was
// resumed in another file.
func readTranscripts(files []string) (*usage, error) {
	u := &usage{}
	known := map[string]bool{}
	for _, name := range files {
		if err := u.add(name, known); err != nil {
			return nil, err
		}
	}
	if u.Messages == 0 {
		return nil, fmt.Errorf("no line of %s has a usage block with input_tokens", plural(len(files), "file"))
	}
	return u, nil
}

func (u *usage) add(name string, known map[string]bool) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	u.Files++
	for r := bufio.NewReaderSize(file, 64<<10); ; {
		line, err := readLine(r)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, bufio.ErrTooLong):
			u.Skipped++
			continue
		case err != nil:
			return fmt.Errorf("%s: %w", name, err)
		}
		u.addLine(line, known)
	}
}

// readLine reads a line of any length, and forgets one that is too long. The
// last line may have no end.
func readLine(r *bufio.Reader) (line []byte, err error) {
	tooLong := false
	for {
		part, err := r.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > maxLine; !tooLong {
			line = append(line, part...)
		} else {
			line = nil
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (!errors.Is(err, io.EOF) || len(line) == 0 && !tooLong):
			return nil, err
		case tooLong:
			return nil, bufio.ErrTooLong
		}
		return line, nil
	}
}

// usageBlock is a provider's count of one request's input.
type usageBlock struct {
	Input *int64 `json:"input_tokens"`
	Read  int64  `json:"cache_read_input_tokens"`
	Write int64  `json:"cache_creation_input_tokens"`
	Split *struct {
		Write int64 `json:"ephemeral_5m_input_tokens"`
		Hour  int64 `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
}

// addLine adds the usage block of a line, which is at its top or in its message.
func (u *usage) addLine(line []byte, known map[string]bool) {
	if strings.TrimSpace(string(line)) == "" {
		return
	}
	var entry struct {
		UUID      string      `json:"uuid"`
		ID        string      `json:"id"`
		RequestID string      `json:"requestId"`
		Usage     *usageBlock `json:"usage"`
		Message   struct {
			ID    string      `json:"id"`
			Usage *usageBlock `json:"usage"`
		} `json:"message"`
	}
	if err := json.Unmarshal(line, &entry); err != nil {
		var other *json.UnmarshalTypeError // of a member that is something else elsewhere
		if !errors.As(err, &other) {
			u.Skipped++
			return
		}
	}
	block, id := entry.Message.Usage, entry.Message.ID
	if block == nil {
		block, id = entry.Usage, entry.ID
	}
	if block == nil || block.Input == nil {
		return // no answer of a model
	}
	write, hour := block.Write, int64(0)
	if block.Split != nil {
		write, hour = block.Split.Write, block.Split.Hour
	}
	for _, n := range []int64{*block.Input, block.Read, write, hour} {
		if n < 0 || n > maxTokens {
			u.Skipped++
			return
		}
	}
	if id == "" {
		id = entry.UUID
	}
	if id += " " + entry.RequestID; id != " " {
		if known[id] {
			u.Repeated++
			return
		}
		known[id] = true
	}
	u.Messages++
	u.Plain += *block.Input
	u.Read += block.Read
	u.Write += write
	u.Hour += hour
}
