// Package hosts drives real clients, with a scripted model behind them and our server
// beside them: Codex, Claude Code, Copilot CLI, Gemini CLI and OpenCode, in a terminal, in
// tmux, for one command, without a terminal, and over ACP in an editor. Its one test has the
// build tag hosts; `make hosts` installs the clients from npm and runs it. None reaches
// anything but this machine.
package hosts
