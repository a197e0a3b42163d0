package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"
)

// Factors of the recipe's conversions, as it has them.
const (
	knots    = 1.943844 // of a metre per second
	degrees  = 57.29578 // of a radian
	freezing = 273.15   // kelvin
)

// The ages at which the recipe calls a value stale.
const (
	staleMotion = 30 * time.Second
	stalePower  = 2 * time.Minute
	staleSlow   = 15 * time.Minute
)

// finding is what a reader answers: a number that holds now, or none, and why.
type finding struct {
	known bool
	value float64
	words string
}

// reader answers by the recipe, to the letter: it runs its commands, and follows
// its rules without a thought of its own. It is no language model: one may do
// better, or forget a rule.
type reader struct {
	*recipe
	now time.Time
}

// leaf is one line that the recipe's commands print.
type leaf struct {
	Value     any
	Units     string
	Timestamp string
}

func (l leaf) number() (float64, bool) {
	x, ok := l.Value.(float64)
	return x, ok
}

// old gives the age of a value that is stale by the recipe. A time that cannot be
// read is no reason to call it stale: the recipe does not say so.
func (r reader) old(l leaf, limit time.Duration) (finding, bool) {
	at, err := time.Parse(time.RFC3339, l.Timestamp)
	if age := r.now.Sub(at); err == nil && age > limit {
		return finding{words: fmt.Sprintf("stale: last heard %v ago", age.Round(time.Second))}, true
	}
	return finding{}, false
}

// print runs a command of the recipe. An error that the recipe explains is a
// finding.
func (r reader) print(ctx context.Context, address, instead string, into any) *finding {
	c, err := r.command(address, instead)
	if err != nil {
		return &finding{words: err.Error()}
	}
	_, printed, err := r.run(ctx, c)
	var status *httpError
	switch {
	case errors.As(err, &status) && status.status == http.StatusNotFound:
		return &finding{words: "the boat does not report it"}
	case errors.As(err, &status) && status.status == http.StatusUnauthorized:
		return &finding{words: "the server wants a token"}
	case err != nil:
		return &finding{words: "no connection: " + oneLine(err.Error(), 80)}
	}
	if err := json.Unmarshal([]byte(printed), into); err != nil {
		return &finding{words: oneLine(err.Error(), 80)}
	}
	return nil
}

// depth is the clearance under the keel.
func (r reader) depth(ctx context.Context) finding {
	var d map[string]leaf
	if none := r.print(ctx, oneDepth, "", &d); none != nil {
		return *none
	}
	l, clearance := d["belowKeel"], true
	x, ok := l.number()
	if !ok {
		l = d["belowTransducer"]
		offset, has := d["transducerToKeel"].number()
		if x, ok = l.number(); has {
			x -= math.Abs(offset)
		}
		clearance = has
	}
	if old, is := r.old(l, staleMotion); ok && is {
		return old
	}
	switch {
	case !ok && len(d) == 0:
		return finding{words: "the boat does not report it"}
	case !ok:
		return finding{words: "fitted, nothing to read now"}
	case !clearance:
		return finding{words: fmt.Sprintf("%.1f m below the transducer", x)}
	}
	return finding{true, x, fmt.Sprintf("%.1f m under the keel", x)}
}

// current is a bank's, with the recipe's sign.
func (r reader) current(ctx context.Context, bank string) finding {
	f := r.one(ctx, oneGroup[len("$V/"):]+"/"+bank+"/current", stalePower, 1, 0, "A")
	switch {
	case f.known && f.value > 0:
		f.words += ", charging"
	case f.known && f.value < 0:
		f.words += ", discharging"
	}
	return f
}

// one is any value: times a factor, less what is to be taken off.
func (r reader) one(ctx context.Context, path string, limit time.Duration, factor, less float64, unit string) finding {
	var l leaf
	if none := r.print(ctx, oneValue, "$V/"+strings.ReplaceAll(path, ".", "/"), &l); none != nil {
		return *none
	}
	x, ok := l.number()
	if !ok {
		return finding{words: "fitted, nothing to read now"}
	}
	if old, is := r.old(l, limit); is {
		return old
	}
	x = x*factor - less
	return finding{true, x, fmt.Sprintf("%.1f %s", x, unit)}
}

// bearing is a direction in degrees from 0 to 360.
func (r reader) bearing(ctx context.Context, path string) finding {
	f := r.one(ctx, path, staleMotion, degrees, 0, "degrees")
	if f.known {
		f.value = math.Mod(f.value+360, 360)
		f.words = fmt.Sprintf("%.0f degrees", f.value)
	}
	return f
}
