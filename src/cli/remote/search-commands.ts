/** Rows of the table of commands for searches, tag rules, and messages that a search finds. */
import { dataDir, runningNote, serverFlag } from "./service-flags.ts";
import type { Command, Flag } from "../command.ts";

const flags: readonly Flag[] = [serverFlag, dataDir];
const queryNote = "[Search](../guide/search.md) has the operators of `QUERY`.";

/** Commands for searches, tag rules and messages, in the order of the help. */
export const searchCommands: readonly Command[] = [
  {
    name: "searches list",
    operands: [],
    flags,
    summary: "List the saved searches of a server: name, query",
    details: [runningNote],
    load: async () => (await import("./searches.ts")).listSearchesCommand,
  },
  {
    name: "searches save",
    operands: ["NAME", "QUERY"],
    flags,
    summary: "Save a search under a name, or replace the one with this name",
    details: [runningNote, queryNote],
    load: async () => (await import("./searches.ts")).saveSearchCommand,
  },
  {
    name: "searches remove",
    operands: ["NAME"],
    flags,
    summary: "Delete a saved search",
    details: [runningNote],
    load: async () => (await import("./searches.ts")).removeSearchCommand,
  },
  {
    name: "tag-rules show",
    operands: [],
    flags,
    summary: "Print the settings of a server for tags of messages that arrive, as JSON",
    details: [runningNote],
    load: async () => (await import("./searches.ts")).showTagRulesCommand,
  },
  {
    name: "tag-rules set",
    operands: ["FILE"],
    flags,
    summary: "Replace the settings of a server for tags by those of a JSON file",
    details: [
      runningNote,
      '`FILE` contains `{"plusAddresses": true, "rules": [{"q": "…", "tags": ["…"]}]}`, as `restante tag-rules show` prints it; `-` is standard input. Members that are left out are switched off.',
    ],
    load: async () => (await import("./searches.ts")).setTagRulesCommand,
  },
  {
    name: "messages delete",
    operands: ["QUERY"],
    flags: [serverFlag, { name: "dir", value: "NAME", meaning: "`Received` (default) or `Sent` messages" }, dataDir],
    summary: "Delete the messages of a server that match a query, and print their number",
    details: [runningNote, queryNote],
    load: async () => (await import("./searches.ts")).deleteMessagesCommand,
  },
  {
    name: "messages release",
    operands: ["ID", "ADDRESS"],
    flags: [dataDir],
    summary: "Send a mail as it was received to a verified address, and print the id of the sent message",
    details: [runningNote, "Several addresses are separated by commas. They are verified by `restante verify`."],
    load: async () => (await import("./searches.ts")).releaseMessageCommand,
  },
];
