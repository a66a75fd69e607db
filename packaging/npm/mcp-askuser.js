#!/usr/bin/env node
// Starts the program of this system, which lies in a package of its own, and
// steps aside: it has our standard input, output and error, our signals and our
// exit status.
"use strict";

const { spawn } = require("node:child_process");

const name = `mcp-askuser-${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/mcp-askuser${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(`mcp-askuser: there is no program for ${process.platform} on ${process.arch} here. ` +
    `Install it again without --omit=optional, or build it with go install.`);
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (err) => {
  console.error(`mcp-askuser: ${err.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exit(code);
  }
});
