// Written by "mcp-askuser install opencode --questions"; "mcp-askuser uninstall
// opencode" removes it. Questions that OpenCode asks are also on the desk of
// mcp-askuser while its dialog is open, and the first answer counts.
import { spawn } from "node:child_process"

const command = []
const permissions = false // whether what a tool may do is asked there, too

// run hands an event on and returns what is printed, if anything.
const run = (event) =>
  new Promise((resolve) => {
    let out = ""
    const child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "ignore"] })
    child.on("error", () => resolve(""))
    child.stdin.on("error", () => {})
    child.stdout.setEncoding("utf8").on("data", (data) => (out += data))
    child.on("close", () => resolve(out))
    child.stdin.end(JSON.stringify(event))
  })

export const McpAskUser = async ({ client, directory }) => {
  const http = client.client ?? client._client
  const inputs = new Map() // of the tool calls that run, by their ids
  const post = (url, id, body) =>
    http.post({
      url,
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
      const { id } = event.properties
      const { answers, reject, reply, message } = JSON.parse(out)
      if (event.type === "permission.asked") {
        if (reply === "once") await post("/permission/{requestID}/reply", id, { reply })
        else if (reply === "reject") await post("/permission/{requestID}/reply", id, { reply, message })
      } else if (reject) await post("/question/{requestID}/reject", id, {})
      else if (Array.isArray(answers)) await post("/question/{requestID}/reply", id, { answers })
    } catch {}
  }
  if (process.argv.slice(2).includes("run")) return {} // nobody sits there
  return {
    event: async ({ event }) => {
      // OpenCode does not wait for what stands beside a dialog.
      if (event.type === "question.asked") stand(event)
      if (event.type === "question.replied" || event.type === "question.rejected") run({ ...event, directory })
      if (!permissions) return
      const input = inputs.get(event.properties?.tool?.callID)
      if (event.type === "permission.asked" && input) stand({ ...event, input })
      if (event.type === "permission.replied") run({ ...event, directory })
    },
    "tool.execute.before": async ({ callID }, { args }) => {
      if (permissions) inputs.set(callID, args)
    },
    "tool.execute.after": async ({ callID }) => {
      inputs.delete(callID)
    },
  }
}
