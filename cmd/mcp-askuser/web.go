package main

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strconv"
	"strings"

	"github.com/mdp/qrterminal/v3"
	"github.com/spf13/cobra"

	"mcp-askuser/desk"
	"mcp-askuser/tools/askuser/wire"
	"mcp-askuser/ui"
	"mcp-askuser/ui/present"
	"mcp-askuser/ui/web"
	"mcp-askuser/ui/words"
)

func (a *app) web() *cobra.Command {
	var o web.Options
	cmd := &cobra.Command{
		Use:     "web",
		Short:   "Serve the page and the HTTP API with everything that waits",
		Example: "  mcp-askuser web --open\n  mcp-askuser web --listen 0.0.0.0 --tls-cert cert.pem --tls-key key.pem",
	}
	a.addFlags(cmd, "timeout", "max_rounds")
	a.addFlags(cmd, limitKeys[:]...)
	open := cmd.Flags().Bool("open", false, "open the page in the browser")
	revoke := cmd.Flags().Bool("revoke", false, "end the visits of all browsers, and nothing else")
	pageFlags(cmd, &o)
	cmd.Flags().BoolVar(&o.Insecure, "insecure", false, "allow --listen beyond this machine over plain HTTP")
	return a.withSettings(cmd, func(cmd *cobra.Command, _ []string) error {
		if *revoke {
			key, _ := a.storeFile("page.key")
			err := web.Revoke(key)
			if err == nil {
				a.tell("Every browser must now open the address of the page again.")
			}
			return err
		}
		return a.serveWeb(cmd, o, *open)
	})
}

// pageFlags gives a command the flags that say where the page is.
func pageFlags(cmd *cobra.Command, o *web.Options) {
	cmd.Flags().Func("listen", "the `address` to listen on, with or without a port (default 127.0.0.1)",
		func(text string) error { return readListen(text, o) })
	port := cmd.Flags().Int("port", 0, "the `port` to listen on, 0 for the last one if it is free")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if o.Port != 0 && *port != 0 && o.Port != *port {
			return fmt.Errorf("--listen names the port %d, and --port %d; give one of the two", o.Port, *port)
		}
		o.Port = cmp.Or(o.Port, *port)
		return nil
	}
	cmd.Flags().StringVar(&o.TLSCert, "tls-cert", "", "the `file` with the certificate for HTTPS (PEM)")
	cmd.Flags().StringVar(&o.TLSKey, "tls-key", "", "the `file` with the key of that certificate (PEM)")
}

// readListen reads the value of --listen, ADDRESS or ADDRESS:PORT, into o.
func readListen(text string, o *web.Options) error {
	host, port, err := net.SplitHostPort(text)
	if err != nil { // without a port; an IPv6 address perhaps without brackets
		host, port = strings.Trim(text, "[]"), "0"
	}
	number, err := strconv.ParseUint(port, 10, 16)
	o.Host, o.Port = host, int(number)
	if err != nil || host == "" || strings.Contains(host, ":") && net.ParseIP(host) == nil {
		return errors.New("an address such as 127.0.0.1 or 127.0.0.1:8790")
	}
	return nil
}

func (a *app) serveWeb(cmd *cobra.Command, o web.Options, open bool) error {
	d, err := a.desk()
	if err != nil {
		return err
	}
	presenter := a.presenter(d)
	defer presenter.Close(web.ErrStopped)
	defer a.listenToPhone(d)()
	a.setOptions(&o, d, presenter)
	o.Command = true
	server, err := web.Listen(cmd.Context(), o)
	if err != nil {
		return err
	}
	address := server.Address()
	if _, err := fmt.Fprintln(a.out, address); err != nil {
		return err
	}
	if server.Exposed() {
		if o.TLSCert != "" {
			defer a.publishPage(address)()
		}
		qrterminal.GenerateHalfBlock(address, qrterminal.L, a.err)
	}
	a.tell("Open the address in a browser; Ctrl+C ends the server. Keep it to yourself: whoever has it can answer in " +
		"your name.")
	if open {
		a.openBrowser(server.Invite())
	}
	return server.Serve(cmd.Context())
}

// setOptions sets what the page needs of the settings.
func (a *app) setOptions(o *web.Options, d *desk.Desk, presenter *present.Presenter) {
	s := a.settings()
	o.Desk, o.Log, o.Presenter, o.Directory = d, a.log, presenter, a.directory()
	o.KeyFile, _ = a.storeFile("page.key") // no browser comes back where there is no place for it
	o.FrontEnd = a.frontEnd
	o.Proves = s.Prove != string(desk.ProveNone)
	o.Language = words.Language(s.Language)
	o.Decode = func(data []byte) (desk.Request, []string, error) {
		call, err := wire.DecodeAsk(data, s.Limits)
		return desk.Request{Set: call.Set, Timeout: cmp.Or(call.Timeout, s.Timeout), OnTimeout: call.OnTimeout,
			Rounds: call.Rounds, ToolUse: call.ToolUse}, call.Dropped, err
	}
}

// webSurface is the page as a surface of this process.
func (a *app) webSurface(d *desk.Desk, presenter *present.Presenter) *web.Surface {
	o := web.SurfaceOptions{Desktop: func() error { return ui.Desktop(a.getenv, runtime.GOOS) }, Open: web.OpenBrowser}
	a.setOptions(&o.Options, d, presenter)
	return web.NewSurface(o)
}

// openBrowser opens the page, or says why it does not.
func (a *app) openBrowser(address string) {
	err := ui.Desktop(a.getenv, runtime.GOOS)
	if err == nil {
		err = web.OpenBrowser(address)
	}
	if err != nil {
		a.tellf("No browser was opened: %v.", err)
	}
}
