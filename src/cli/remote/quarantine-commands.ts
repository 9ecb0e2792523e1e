/** Rows of the table of commands about the quarantine of a running service. */
import { exitCodes, type Command } from "../command.ts";
import { dataDir, runningNote } from "./service-flags.ts";

/** Commands for quarantined work. */
export const quarantineCommands: readonly Command[] = [
  {
    name: "quarantine list",
    operands: [],
    flags: [dataDir],
    summary: "List work that is not attempted again because it ended the service: queue, id, message, time, attempts",
    details: [
      runningNote,
      "Exit codes: 0 without quarantined work, 1 with some, 2 when the service cannot be reached.",
    ],
    failureCode: exitCodes.usage,
    load: async () => (await import("./quarantine.ts")).listQuarantine,
  },
  {
    name: "quarantine retry",
    operands: [],
    flags: [
      { name: "queue", value: "NAME", meaning: "Only work of this queue. Default: all" },
      { name: "id", value: "ID", meaning: "Only work with this id. Default: all" },
      dataDir,
    ],
    summary: "Attempt quarantined work again, and print the number of pieces",
    details: [runningNote],
    load: async () => (await import("./quarantine.ts")).retryQuarantine,
  },
];
