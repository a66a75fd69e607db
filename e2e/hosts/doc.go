// Package hosts drives real clients, with a scripted model behind them and our server
// beside them: Codex, Claude Code, Copilot CLI, Gemini CLI and OpenCode in a tmux of their
// own, typing to them as people do, and over ACP in an editor; Claude Code also in the
// background and in an application on its Agent SDK. Its tests have the build tag hosts, and those that use Chromium
// also browser; `make hosts` installs the clients from npm and runs them. None reaches
// anything but this machine.
package hosts
