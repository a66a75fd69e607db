// Package hosts drives the real Codex and the real Claude Code, with a scripted model
// behind them and our server beside them: in a tmux of their own, typing to them as
// people do, and Claude Code also in the background, in an application on its Agent
// SDK, and over ACP in an editor. Its tests have the build tag hosts, those that open the page in Chromium also browser; `make hosts`
// installs the hosts from npm and runs them. No host reaches anything but this machine.
package hosts
