package main

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcp-askuser/desk"
	"mcp-askuser/internal/door"
	"mcp-askuser/server"
	"mcp-askuser/server/http"
	"mcp-askuser/server/stdio"
	"mcp-askuser/tools/askuser"
)

func (a *app) serveFlags(cmd *cobra.Command) {
	a.addFlags(cmd, "hold")
	a.addFlags(cmd, askKeys[:]...)
	a.addFlags(cmd, limitKeys[:]...)
}

func (a *app) serve() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve MCP over standard input and output, or over HTTP",
		Example: `  claude mcp add askuser -- mcp-askuser serve
  mcp-askuser serve --surface inbox,web --hold 5m
  mcp-askuser serve --http 8765
  mcp-askuser serve --http 0.0.0.0:8765 --tls-cert cert.pem --tls-key key.pem`,
	}
	a.serveFlags(cmd)
	address := cmd.Flags().String("http", "",
		"serve over HTTP on this `address`, as 127.0.0.1:8765 or a port of this machine")
	cert := cmd.Flags().String("tls-cert", "", "the `file` with the certificate for HTTPS (PEM)")
	key := cmd.Flags().String("tls-key", "", "the `file` with the key of that certificate (PEM)")
	cmd.FParseErrWhitelist.UnknownFlags = true // reported below
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		switch {
		case *address != "":
			err := errors.Join(a.unknownFlag(cmd), a.config.Err())
			if err != nil {
				return err
			}
			return a.serveHTTP(cmd, *address, *cert, *key)
		case *cert != "" || *key != "":
			return errors.New("--tls-cert and --tls-key are for --http ADDRESS")
		}
		return a.serveMCP(cmd)
	}
	return cmd
}

// unknownFlag names a flag on the command line that the command does not have.
func (a *app) unknownFlag(cmd *cobra.Command) error {
	for _, arg := range a.args {
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		if strings.HasPrefix(arg, "--") && name != "" && cmd.Flag(name) == nil {
			return flagError(cmd, fmt.Errorf("unknown flag: --%s", name))
		}
	}
	return nil
}

// serveMCP serves until the client ends the connection or a signal arrives. Neither is
// an error. A host reports a server that exits as missing tools: what an earlier version knew
// and this one does not, a flag or a key of the file, is logged and changes nothing.
func (a *app) serveMCP(cmd *cobra.Command) error {
	tuneCollector()
	err := a.config.WrongValues()
	if err != nil {
		return err
	}
	a.log = a.logger(slog.LevelInfo)
	unknown := a.unknownFlag(cmd)
	if unknown != nil {
		a.log.Warn("a flag is ignored", "error", unknown)
	}
	for _, fault := range a.config.Faults() {
		a.log.Warn("a setting is ignored", "error", fault.Text)
	}
	d, err := a.desk()
	if err != nil {
		return err
	}
	tools, stop := a.tools(askuser.Config{
		Desk: d, Attended: a.attended, Command: a.inboxCommand(), Host: os.Getppid(),
		Getenv: a.getenv,
		// An agent that names no directory works in ours.
		Templates: func(directory string) []string { return a.templateDirs(cmp.Or(directory, a.directory())) },
	})
	err = stdio.Serve(cmd.Context(), server.New(buildVersion(), tools), a.in, a.out, stdio.Options{
		Options: server.Options{Directory: a.directory(), Log: a.log},
	})
	stop()
	if _, ok := errors.AsType[*signalError](err); ok {
		return nil
	}
	return err
}

// tuneCollector sets the garbage collector for a server, unless GOGC is set. In its first second a
// server collects later than by default: most of its memory is then what libraries have set up. After
// that it collects earlier: it waits for hours, and would keep what its heap had grown to in a call.
func tuneCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(150)
		time.AfterFunc(time.Second, func() { debug.SetGCPercent(30) })
	}
}

// tools makes the tools for the clients that c describes. Stop withdraws what they show.
func (a *app) tools(c askuser.Config) (tools *askuser.Tools, stop func()) {
	s := a.settings()
	c.Log, c.Presenter = a.log, a.presenter(c.Desk)
	page := a.webSurface(c.Desk, c.Presenter)
	c.Limits, c.Hold, c.Timeout = s.Limits, s.Hold, s.Timeout
	c.Surfaces, c.Beside = a.surfaces(c.Desk, page, desk.Dismissed)
	return askuser.New(c), func() {
		c.Presenter.Close(askuser.ErrDisconnected)
		page.Close()
	}
}

func (a *app) serveHTTP(cmd *cobra.Command, address, cert, key string) error {
	if err := checkRemote(a.settings().Surfaces); err != nil {
		return err
	}
	host, port, err := httpAddress(address)
	if err != nil {
		return err
	}
	tls, err := door.Certificate(cert, key)
	if err != nil {
		return err
	}
	a.log = a.logger(slog.LevelInfo)
	command := a.inboxCommand()
	if name, err := os.Hostname(); err == nil && !door.Loopback(host) {
		command += " on " + name
	}
	a.remote = true
	d, err := a.desk()
	if err != nil {
		return err
	}
	tools, stop := a.tools(askuser.Config{
		Desk: d, Remote: true, Attended: func(bool) bool { return true }, Command: command,
		Templates: func(string) []string { return a.templateDirs("") }, // the agent's directory is on another machine
	})
	defer stop()
	agents, _, err := a.tokens()
	if err != nil {
		return err
	}
	served := http.New(server.New(buildVersion(), tools), http.Options{Tokens: agents, Log: a.log, Host: host, TLS: tls})
	ln, err := served.Listen(cmd.Context(), port)
	if err != nil {
		return err
	}
	tuneCollector()
	fmt.Fprintln(a.out, served.Address(ln.Addr()))
	if known, err := agents.List(); err == nil && len(known) == 0 {
		a.tell("No agent may call yet; mcp-askuser token add NAME lets one.")
	}
	return served.Serve(cmd.Context(), ln)
}

// httpAddress reads an address to listen on: HOST:PORT, or a port of this machine.
func httpAddress(address string) (host, port string, err error) {
	host, port = "127.0.0.1", address
	if strings.Contains(address, ":") {
		host, port, err = net.SplitHostPort(address)
	}
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		err = fmt.Errorf("--http is %q; it takes an address such as 127.0.0.1:8765, or a port", address)
	}
	return host, port, err
}

// directory is the directory that the asker works in.
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
