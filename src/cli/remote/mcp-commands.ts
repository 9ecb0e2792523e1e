/** Row of the table of commands for the Model Context Protocol. */
import type { Command } from "../command.ts";
import { dataDir, runningNote } from "./service-flags.ts";

/** Serves tools to a coding assistant. */
export const mcpCommand: Command = {
  name: "mcp",
  operands: [],
  flags: [
    {
      name: "server",
      value: "ID",
      meaning: "Server of tool calls that name none. Default: `RESTANTE_SERVER`, or the only one of the key",
    },
    dataDir,
  ],
  summary: "Serve tools to a coding assistant over standard input and output (Model Context Protocol)",
  details: [
    `${runningNote} The service is looked up for each call: it may be started later, and restarted.`,
    "Assistants start the command themselves: [Coding assistants](../guide/mcp.md) shows how to configure them, and [MCP](mcp.md) describes the tools.",
  ],
  load: async () => (await import("./mcp.ts")).mcpCommandAction,
};
