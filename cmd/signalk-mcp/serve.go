package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/term"

	"signalk-mcp/tools"
)

// instructions are read by every host once: under 60 tokens.
const instructions = "Speak display, and warning if there is one, word for word: all is converted. " +
	"Call the tool again for every question: a reading is never reused. " +
	"What is not known is not guessed."

const (
	// firstWait is how long the first call waits for the first picture of the
	// boat; the contract is two seconds for the answer.
	firstWait = 1300 * time.Millisecond
	// farewell is how long the end may take after a signal.
	farewell = 1500 * time.Millisecond
)

func serveCommand(f *flags) runner {
	var b boatFlags
	b.register(f)
	return func(ctx context.Context, e env, _ []string) (int, error) { return serve(ctx, e, &b) }
}

func serve(ctx context.Context, e env, b *boatFlags) (int, error) {
	log := newLossyLog(e.stderr)
	defer log.Close()
	e.stderr = log
	boat, err := b.open(ctx, e)
	if err != nil {
		return exitUsage, err
	}
	if f, ok := e.stdin.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		fmt.Fprintln(e.stderr, "signalk-mcp serves MCP here: an agent's host starts it and talks JSON-RPC on stdin. To try it by hand: "+
			"signalk-mcp say -mock; signalk-mcp -h lists the commands; Ctrl-D ends this.")
	}
	stopReload := onHangup(boat.client.Reload)
	defer stopReload()
	ended, host := make(chan error, 1), newStdio(e.stdin, e.stdout, boat.log)
	go func() { ended <- newServer(boat).Run(ctx, host) }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		err = within(farewell, ended)
	case <-host.over:
		err = within(endPatience, ended)
	}
	boat.close()
	if err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
		boat.log.Info("the host is gone", "reason", err)
	}
	return exitOK, nil
}

// within waits for the end of a session, but not for ever: a host that does not
// read keeps a reply from being written.
func within(d time.Duration, ended <-chan error) error {
	select {
	case err := <-ended:
		return err
	case <-time.After(d):
		return nil
	}
}

// onHangup calls a function at every SIGHUP, until it is stopped.
func onHangup(f func()) (stop func()) {
	hangups, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(hangups, syscall.SIGHUP)
	go func() {
		for {
			select {
			case <-hangups:
				f()
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(hangups)
		close(done)
	}
}

// newServer is the MCP server over a boat. It speaks both eras of the protocol.
func newServer(b *boat) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "signalk-mcp", Version: buildVersion()}, &mcp.ServerOptions{
		Instructions: instructions,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		Logger:       slog.New(onlyWarnings{b.log.Handler()}),
	})
	s.AddReceivingMiddleware(recovering(b.log))
	closed := false
	wait := firstPicture(b)
	for _, t := range tools.Catalog() {
		s.AddTool(&mcp.Tool{
			Name: t.Name, Description: t.Description, InputSchema: t.InputSchema,
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed},
		}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			wait(ctx)
			r, err := b.set.Call(t.Name, req.Params.Arguments)
			if err != nil {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
			}
			body := r.JSON()
			return &mcp.CallToolResult{
				Content:           []mcp.Content{&mcp.TextContent{Text: string(body)}},
				StructuredContent: body,
				IsError:           r.IsError,
			}, nil
		})
	}
	return s
}

// firstPicture returns a function that waits, firstWait at most after it was
// first called, until the boat's first picture is complete or cannot be had.
func firstPicture(b *boat) func(context.Context) {
	var once sync.Once
	patience := make(chan struct{})
	return func(ctx context.Context) {
		once.Do(func() { time.AfterFunc(firstWait, func() { close(patience) }) })
		select {
		case <-b.vessel.Settled():
		case <-patience:
		case <-ctx.Done():
		}
	}
}

// recovering turns a panic in a tool into an error result, so that one broken
// answer does not end the session.
func recovering(log *slog.Logger) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
			defer func() {
				p := recover()
				if p == nil {
					return
				}
				log.Error("a tool broke", "method", method, "panic", p, "stack", string(debug.Stack()))
				const sorry = `{"display":"This answer failed inside the program; the reason is in its log. Other questions still work."}`
				res, err = &mcp.CallToolResult{
					Content:           []mcp.Content{&mcp.TextContent{Text: sorry}},
					StructuredContent: []byte(nil),
					IsError:           true,
				}, nil
			}()
			return next(ctx, method, req)
		}
	}
}

// onlyWarnings keeps the SDK's chatter out of the log: three lines a session, and
// an error for an end that was asked for by a signal.
type onlyWarnings struct{ slog.Handler }

func (h onlyWarnings) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && h.Handler.Enabled(ctx, l)
}

func (h onlyWarnings) Handle(ctx context.Context, r slog.Record) error {
	asked := false
	r.Attrs(func(a slog.Attr) bool {
		err, ok := a.Value.Any().(error)
		asked = ok && errors.Is(err, context.Canceled)
		return !asked
	})
	if asked {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}
