/** Rows of the table of commands for a running service: webhooks and duplicates. */
import { exitCodes, type Command, type Flag } from "./command.ts";

/** Flag that names the data folder. */
export const dataDir: Flag = {
  name: "data-dir",
  value: "DIR",
  meaning: "Data folder of the service. Default: `RESTANTE_DATA_DIR` or `./restante-data`",
};
/** Paragraph of commands that need a running service. */
export const runningNote =
  "Uses the API of the running service: that of `RESTANTE_URL`, or that of the data folder; with the key in `RESTANTE_API_KEY`, or the generated one in the data folder.";
/** Flag that names the server. */
export const serverFlag: Flag = {
  name: "server",
  value: "ID",
  meaning: "Server. Default: `RESTANTE_SERVER`, or the first one",
};
const deliveryFilter: readonly Flag[] = [
  { name: "webhook", value: "ID", meaning: "Only deliveries of this webhook, event webhook or inbound route" },
  { name: "message", value: "ID", meaning: "Only deliveries about this message" },
  { name: "type", value: "NAME", meaning: "Only deliveries of this type" },
  { name: "since", value: "TIME", meaning: "Only deliveries created then or later, in ISO 8601" },
  { name: "before", value: "TIME", meaning: "Only deliveries created before, in ISO 8601" },
];

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

/** Commands for webhooks, in the order of the help. */
export const callbackCommands: readonly Command[] = [
  {
    name: "listen",
    operands: [],
    flags: [
      serverFlag,
      { name: "forward", value: "URL", meaning: "Post each event to this URL, signed" },
      { name: "events", value: "LIST", meaning: "Types of events, comma-separated. Default: all" },
      {
        name: "provider",
        value: "NAME",
        meaning: "Events as this provider reports them, about mail that came through its API",
      },
      { name: "json", value: null, meaning: "Print the body of each event as JSON on one line" },
      dataDir,
    ],
    summary: "Print the events of a server, and forward them to a local URL",
    details: [
      runningNote,
      "Follows the event stream of the server, so that no port needs to be open to the service. Events are signed as Standard Webhooks, or as the provider signs; the secret is printed at the start. After an interruption it continues where it was: no event is skipped. A request that fails is not repeated.",
    ],
    load: async () => (await import("./listen.ts")).listen,
  },
  {
    name: "webhooks list",
    operands: [],
    flags: [serverFlag, dataDir],
    summary: "List the webhooks of a server: id, state, URL, events, description",
    details: [runningNote],
    load: async () => (await import("./webhooks.ts")).listWebhooksCommand,
  },
  {
    name: "webhooks add",
    operands: ["URL"],
    flags: [
      serverFlag,
      { name: "events", value: "LIST", meaning: "Types of events, comma-separated. Default: all" },
      { name: "type", value: "Email|SMS", meaning: "Only messages of this type" },
      { name: "direction", value: "Received|Sent", meaning: "Only messages of this direction" },
      { name: "description", value: "TEXT", meaning: "Description that lists show" },
      dataDir,
    ],
    summary: "Create a webhook and print its id and secret, once",
    details: [runningNote],
    load: async () => (await import("./webhooks.ts")).addWebhookCommand,
  },
  {
    name: "webhooks remove",
    operands: ["ID"],
    flags: [serverFlag, dataDir],
    summary: "Delete a webhook with its deliveries",
    details: [runningNote],
    load: async () => (await import("./webhooks.ts")).removeWebhookCommand,
  },
  {
    name: "webhooks rotate",
    operands: ["ID"],
    flags: [serverFlag, dataDir],
    summary: "Replace the secret of a webhook and print the new one, once",
    details: [runningNote, "The old secret signs too for 24 hours."],
    load: async () => (await import("./webhooks.ts")).rotateWebhookCommand,
  },
  {
    name: "webhooks ping",
    operands: ["ID"],
    flags: [serverFlag, dataDir],
    summary: "Send the event `ping` to a webhook and print the id of the delivery",
    details: [runningNote],
    load: async () => (await import("./webhooks.ts")).pingWebhookCommand,
  },
  {
    name: "webhooks deliveries",
    operands: [],
    flags: [
      serverFlag,
      ...deliveryFilter,
      { name: "status", value: "NAME", meaning: "`Pending`, `Delivered`, `Failed` or `Cancelled`" },
      dataDir,
    ],
    summary: "List the last 50 deliveries: id, creation, type, status, attempts, last response",
    details: [runningNote],
    load: async () => (await import("./webhooks.ts")).listDeliveriesCommand,
  },
  {
    name: "webhooks replay",
    operands: [],
    flags: [
      serverFlag,
      ...deliveryFilter,
      { name: "status", value: "NAME", meaning: "`Delivered` or `Failed`. Default: `Failed`" },
      dataDir,
    ],
    summary: "Deliver again what matches, and print the number of deliveries",
    details: [runningNote],
    load: async () => (await import("./webhooks.ts")).replayDeliveriesCommand,
  },
];

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
