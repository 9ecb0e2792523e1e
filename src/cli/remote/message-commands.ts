/** Commands about the messages of a running service. */
import { exitCodes, type Command } from "../command.ts";
import { dataDir, runningNote, serverFlag } from "./service-flags.ts";

/** Command that saves bundles. */
export const bundleCommand: Command = {
  name: "bundle",
  operands: [],
  flags: [
    { name: "message", value: "ID", meaning: "Message. Default: the newest messages of the server" },
    serverFlag,
    { name: "since", value: "TIME", meaning: "Only messages of the server received after this instant, in ISO 8601" },
    { name: "out", value: "FILE", meaning: "New file. Default: `bundle-ID.zip` in the current folder" },
    dataDir,
  ],
  summary: "Save everything about a message as a ZIP archive",
  details: [
    runningNote,
    "The archive contains the mail, the transcript of its SMTP session, deliveries, checks and a picture, to attach to a failing test. Prints the name of the file.",
  ],
  load: async () => (await import("./bundle.ts")).bundle,
};

/** Command that finds duplicates. */
export const duplicatesCommand: Command = {
  name: "duplicates",
  operands: [],
  flags: [
    serverFlag,
    { name: "sent-to", value: "ADDRESS", meaning: "Only messages to this address or phone number" },
    { name: "subject", value: "TEXT", meaning: "Only messages with this text in the subject" },
    { name: "received-after", value: "TIME", meaning: "Only messages received after this instant, in ISO 8601" },
    { name: "messages", value: "N", meaning: "Newest messages to compare, at most 1000. Default: 500" },
    { name: "within", value: "MS", meaning: "Longest delay between two messages of a group. Default: any" },
    { name: "json", value: null, meaning: "Print the response of the API as JSON" },
    dataDir,
  ],
  summary: "Find messages of a server that were sent more than once, and how they differ",
  details: [
    runningNote,
    "Messages are the same when they went to the same recipient with the same content, apart from ids, tokens, codes, dates, times and tracking links.",
    "Exit codes: 0 without duplicates, 1 with duplicates, 2 when the messages could not be compared or on a usage error.",
  ],
  failureCode: exitCodes.usage,
  load: async () => (await import("./duplicates.ts")).duplicates,
};
