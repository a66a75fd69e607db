// An application on the Claude Agent SDK, whose path is the first argument. It prints a
// line of JSON for what its user is asked, and reads a line with what they answer; a
// second argument says what it can ask: tools, forms. It prints a line when Claude Code
// takes a question back.
import { createInterface } from "node:readline";

const { query } = await import(process.argv[2]);
const can = process.argv[3];
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const print = (line) => console.log(JSON.stringify(line));

function ask(kind, input, signal) {
  print({ kind, input });
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => {
      print({ kind: "closed" });
      resolve({});
    });
    lines.next().then((line) => resolve(line.done ? {} : JSON.parse(line.value)));
  });
}

const options = { settingSources: ["user"], permissionMode: "default" };
if (can.includes("tools"))
  options.canUseTool = async (tool, input, { signal }) =>
    ({ behavior: "allow", updatedInput: { ...input, ...(await ask(tool, input, signal)) } });
if (can.includes("forms"))
  options.onElicitation = (request, { signal }) => ask("form", request, signal);
for await (const message of query({ prompt: "go", options })) void message;
