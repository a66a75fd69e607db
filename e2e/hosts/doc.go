// Package hosts drives real clients, with a scripted model behind them and our server
// beside them: Codex, Claude Code, Gemini CLI and OpenCode in a tmux of their own, typing
// to them as people do, and Claude Code also in the background, in an application on its
// Agent SDK, and over ACP in an editor. Its tests have the build tag hosts, and those
// that open the page in Chromium also browser; `make hosts` installs the clients from npm
// and runs them. None reaches anything but this machine.
package hosts
