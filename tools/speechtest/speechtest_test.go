package speechtest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"signalk-mcp/tools/speechtest"
)

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"3.7 metres below the keel.", "Outside temperature: minus 5 degrees Celsius.", "It is 14:05 Helsinki time on Monday 30 November 2026.",
		"Wind direction: from 317 degrees true, North-West.", "Which battery: port or stbd?", "Battery 279-second: 12.6 volts.",
		"No connection to the Signal K server at 127.0.0.1 port 3000 for 1 second: connection refused.",
		"Position: 50 degrees 6.06 minutes North, 5 degrees 1.26 minutes West.", "21 metres.", "0.1 degrees.",
	} {
		assert.Empty(t, speechtest.Faults(s), s)
	}
	for _, s := range []string{
		"", "3.7 metres", "depth.", "18°.", "83%.", "Is -0.2 metres.", "4.2 m.", "12.8V.", "At 2026-05-01.", "At 12:00:00Z.",
		"Environment.depth.", "1e-06 litres.", "Minus 0 amps, minus 0 amps.", "NaN metres.", "360 degrees true.", "1 metres.", "50.123456 degrees.",
		"Bell\u0007.", "\u202ereversed.", "Odd ..", "A  b.", "A <b>.", "\"Said\".",
	} {
		assert.NotEmpty(t, speechtest.Faults(s), s)
	}
}
