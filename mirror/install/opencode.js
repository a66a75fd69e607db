// Written by "mcp-askuser hook install opencode"; "mcp-askuser hook uninstall
// opencode" removes it. Questions that OpenCode asks also stand on the desk of
// mcp-askuser while its dialog is open, and the first answer counts.
import { spawn } from "node:child_process"

const command = []

// run hands an event on and returns what is printed, if anything.
const run = (event) =>
  new Promise((resolve) => {
    let out = ""
    const child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "ignore"] })
    child.on("error", () => resolve(""))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (data) => (out += data))
    child.on("close", () => resolve(out))
    child.stdin.end(JSON.stringify(event))
  })

export const McpAskUser = async ({ client, directory }) => {
  const http = client.client ?? client._client
  const post = (id, end, body) =>
    http.post({
      url: `/question/{requestID}/${end}`,
      path: { requestID: id },
      query: { directory },
      body,
      headers: { "Content-Type": "application/json" },
    })
  // stand is beside a dialog. A reply that comes too late is refused, and does
  // no harm.
  const stand = async (event) => {
    try {
      const out = await run({ ...event, directory, pid: process.pid })
      if (out === "") return
      const reply = JSON.parse(out)
      if (reply.reject) await post(event.properties.id, "reject", {})
      else if (Array.isArray(reply.answers)) await post(event.properties.id, "reply", { answers: reply.answers })
    } catch {}
  }
  return {
    event: async ({ event }) => {
      if (process.argv[2] === "run") return // nobody sits there
      if (event.type === "question.asked") stand(event) // OpenCode does not wait for it
      if (event.type === "question.replied" || event.type === "question.rejected") run({ ...event, directory })
    },
  }
}
