package signalk

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	"github.com/gorilla/websocket"
)

// refusedError is the server's refusal of our token, or of not having one.
type refusedError struct{ why string }

func (e *refusedError) Error() string { return e.why }

// redirectError is why a redirect is not followed.
type redirectError string

func (e redirectError) Error() string { return string(e) }

// explain puts an error into words for the crew. It repeats no address, which may
// hold secrets, but a name that was not found, and nothing of an answer that was
// no HTTP: the text of such an error has it.
func explain(err error) string {
	var (
		file     *fs.PathError
		redirect redirectError
		dns      *net.DNSError
		errno    syscall.Errno
		cert     *tls.CertificateVerificationError
		names    x509.HostnameError
		invalid  x509.CertificateInvalidError
		record   tls.RecordHeaderError
		refused  *refusedError
		closed   *websocket.CloseError
		asked    *url.Error
	)
	switch {
	case errors.As(err, &refused):
		return refused.why
	case errors.As(err, &redirect):
		return string(redirect)
	case errors.As(err, &file):
		return err.Error()
	case errors.As(err, &dns) && !dns.IsNotFound:
		return "the name " + cut(dns.Name, maxName) + " could not be looked up: no name server answers"
	case errors.As(err, &dns):
		return "the name " + cut(dns.Name, maxName) + " was not found"
	case errors.As(err, &names):
		return "its TLS certificate is not for this address; give the server by a name that the certificate has, or trust any with -insecure"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "by this computer's clock its TLS certificate has expired or is not valid yet; set the clock or renew the certificate, or trust any with -insecure"
	case errors.As(err, &cert):
		return "its TLS certificate is signed by nobody who is trusted; trust it with -ca FILE, or any with -insecure"
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return "it does not speak TLS: try http instead of https"
	case errors.Is(err, context.DeadlineExceeded), isTimeout(err):
		return "no answer in time"
	case errors.Is(err, context.Canceled):
		return "it was stopped before there was an answer"
	case errors.As(err, &closed), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the server closed the connection"
	case errors.As(err, &errno):
		return errno.Error()
	case errors.Is(err, websocket.ErrReadLimit):
		return "it sent a message that is too large"
	case errors.As(err, &asked) && strings.HasPrefix(asked.Err.Error(), "tls: "):
		return asked.Err.Error()
	case errors.As(err, &asked):
		return "what answers there does not speak HTTP"
	}
	return err.Error()
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}
