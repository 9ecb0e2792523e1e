/** Rows of the table of commands for fault rules. */
import { dataDir, runningNote, serverFlag } from "./service-flags.ts";
import type { Command, Flag } from "../command.ts";

const flags: readonly Flag[] = [
  serverFlag,
  { name: "service", value: null, meaning: "Rules of the whole service; requires an account key" },
  dataDir,
];

/** Commands for fault rules, in the order of the help. */
export const faultCommands: readonly Command[] = [
  {
    name: "faults list",
    operands: [],
    flags: [...flags, { name: "json", value: null, meaning: "Print the rules as JSON, with their last hits" }],
    summary: "List fault rules: name, state, stages, effect, seen, hits, skipped",
    details: [runningNote],
    load: async () => (await import("./faults.ts")).listFaultsCommand,
  },
  {
    name: "faults set",
    operands: ["FILE"],
    flags: [...flags, { name: "keep-counts", value: null, meaning: "Keep the counts of rules that stay the same" }],
    summary: "Replace the fault rules by those of a JSON file, and list them",
    details: [
      runningNote,
      '`FILE` contains an array of rules, or `{"items": […]}`; `-` is standard input. The counts start at 0 unless they are kept. [Faults](../guide/faults.md) has recipes.',
    ],
    load: async () => (await import("./faults.ts")).setFaultsCommand,
  },
  {
    name: "faults clear",
    operands: [],
    flags,
    summary: "Remove all fault rules",
    details: [runningNote],
    load: async () => (await import("./faults.ts")).clearFaultsCommand,
  },
];
