package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/desk"
	"mcp-askuser/internal/door"
	"mcp-askuser/server"
	"mcp-askuser/server/http"
	"mcp-askuser/server/stdio"
	"mcp-askuser/tools/askuser"
)

// serveFlags gives a command the flags of those that serve MCP.
func (a *app) serveFlags(cmd *cobra.Command) {
	a.addFlags(cmd, "dir", "hold")
	a.addFlags(cmd, askKeys[:]...)
	a.addFlags(cmd, limitKeys[:]...)
}

func (a *app) serve() *cobra.Command {
	var o httpOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve MCP over standard input and output, or over HTTP",
		Long: `Serve MCP over standard input and output, which is how agents start it, or with
--http over HTTP at /mcp, until interrupted. The address goes to standard output.

Over HTTP each agent needs a token of its own (mcp-askuser token add NAME), and
what it asks waits on this machine: in the inbox, and on the page. Beyond this
machine it listens only with a certificate.`,
		Example: `  mcp-askuser serve --http 8765
  mcp-askuser serve --http 0.0.0.0:8765 --tls-cert cert.pem --tls-key key.pem`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case o.address != "":
				return a.serveHTTP(cmd, o)
			case o.cert != "" || o.key != "":
				return errors.New("--tls-cert and --tls-key are for --http ADDRESS")
			}
			return a.serveMCP(cmd)
		},
	}
	a.serveFlags(cmd)
	cmd.Flags().StringVar(&o.address, "http", "", "serve over HTTP on this address, as 127.0.0.1:8765 or a port of this machine")
	cmd.Flags().StringVar(&o.cert, "tls-cert", "", "certificate to serve HTTPS with (PEM file)")
	cmd.Flags().StringVar(&o.key, "tls-key", "", "key of the certificate (PEM file)")
	return cmd
}

// serveMCP serves until the client ends the connection or a signal arrives;
// both are ordinary ends.
func (a *app) serveMCP(cmd *cobra.Command) error {
	s, err := a.settings()
	if err != nil {
		return err
	}
	log := a.log(slog.LevelInfo)
	tools, stop, err := a.tools(s, askuser.Config{Log: log, Attended: a.attended, Command: a.inboxCommand(s), Host: os.Getppid()})
	if err != nil {
		return err
	}
	err = stdio.Serve(cmd.Context(), server.New(buildVersion(), tools), a.in, a.out, stdio.Options{
		Options: server.Options{Directory: a.directory(), Log: log},
	})
	stop()
	var sig *signalError
	if errors.As(err, &sig) || errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// tools makes the tools for the clients that c describes. Stop withdraws what
// they show.
func (a *app) tools(s settings.Values, c askuser.Config) (tools *askuser.Tools, stop func(), err error) {
	d, err := a.desk(s, c.Log)
	if err != nil {
		return nil, nil, err
	}
	presenter := a.presenter(s, d, c.Log)
	page := a.webSurface(s, d, presenter, c.Log)
	c.Desk, c.Presenter = d, presenter
	c.Limits, c.Hold, c.Timeout = s.Limits, s.Hold, s.Timeout
	c.Surfaces = a.surfaces(s, d, page, desk.Dismissed)
	return askuser.New(c), func() {
		presenter.Close(askuser.ErrDisconnected)
		page.Close()
	}, nil
}

// httpOptions are the flags of serve --http.
type httpOptions struct{ address, cert, key string }

// serveHTTP serves until a signal arrives, which is its ordinary end.
func (a *app) serveHTTP(cmd *cobra.Command, o httpOptions) error {
	s, err := a.settings()
	if err == nil {
		err = checkRemote(s.Surfaces)
	}
	if err != nil {
		return err
	}
	host, port, err := httpAddress(o.address)
	if err != nil {
		return err
	}
	tls, err := door.Certificate(o.cert, o.key)
	if err != nil {
		return err
	}
	log := a.log(slog.LevelInfo)
	command := a.inboxCommand(s)
	if name, err := os.Hostname(); err == nil && !door.Loopback(host) {
		command += " on " + name
	}
	if a.getenv("GOGC") == "" {
		debug.SetGCPercent(50) // it counts stacks, of which calls that wait mostly consist
	}
	a.remote = true
	someone := func(bool) bool { return true } // at this desk
	tools, stop, err := a.tools(s, askuser.Config{Log: log, Remote: true, Attended: someone, Command: command})
	if err != nil {
		return err
	}
	defer stop()
	agents, err := a.agents(s)
	if err != nil {
		return err
	}
	served := http.New(server.New(buildVersion(), tools), http.Options{Tokens: agents, Log: log, Host: host, TLS: tls})
	ln, err := served.Listen(cmd.Context(), port)
	if err != nil {
		return err
	}
	fmt.Fprintln(a.out, served.Address(ln.Addr()))
	if known, err := agents.List(); err == nil && len(known) == 0 {
		fmt.Fprintln(a.err, "No agent may call yet; mcp-askuser token add NAME lets one.")
	}
	return served.Serve(cmd.Context(), ln)
}

// httpAddress reads where to listen: HOST:PORT, or a port of this machine.
func httpAddress(address string) (host, port string, err error) {
	if !strings.Contains(address, ":") {
		address = "127.0.0.1:" + address
	}
	host, port, err = net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return "", "", fmt.Errorf("--http is %q; it takes an address such as 127.0.0.1:8765, or a port", address)
	}
	return host, port, nil
}

// directory is the project that the asker works in.
func (a *app) directory() string {
	if dir := a.getenv("CLAUDE_PROJECT_DIR"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return dir
}
