// An extension of VS Code that calls our tools for a test: it fetches each call from
// CALLER_URL, and posts what the call has returned.
const vscode = require("vscode");

exports.activate = async () => {
  const url = process.env.CALLER_URL;
  const tool = (name) => vscode.lm.tools.find((t) => t.name.endsWith(name))?.name;
  while (!tool("ask_user_question")) {
    await vscode.commands.executeCommand("workbench.mcp.startServer", "mcp.config.ws0.askuser", { waitForLiveTools: true });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  for (;;) {
    const call = await (await fetch(url)).json();
    const result = await vscode.lm.invokeTool(tool(call.tool), { input: call.args, toolInvocationToken: undefined });
    const parts = result.content.map((part) => (part.data ? { type: part.mimeType, bytes: part.data.length } : part.value));
    await fetch(url, { method: "POST", body: JSON.stringify(parts) });
  }
};
