// Package hosts drives the real Codex and the real Claude Code in a tmux of its
// own, with a scripted model behind them and our server beside them, and types to
// them as people do. Its tests have the build tag hosts; `make hosts` installs the
// hosts from npm and runs them. No host reaches anything but this machine.
package hosts
