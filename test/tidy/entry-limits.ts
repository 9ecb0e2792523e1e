/** Limits of every way into the service, with the values of the code, for `docs/reference/limits.md`. */
import {
  type ArrivalRule,
  contentArrival,
  bodyNameBytesMax,
  formFieldCountMax,
  jsonDepthMax,
  jsonValueCountMax,
  unauthenticatedBodyBytesMax,
  imapCommandLimits,
  imapLineBytesMax,
  signInMsMax,
  typedMailBytesMax,
} from "../../src/core/arrival-rate.ts";
import {
  analysedLengthMax,
  contactCountMax,
  defaultConnectionLimits,
  defaultLimits as limits,
  structuredFieldBytesMax,
} from "../../src/core/limits.ts";
import { nestingMax, tokenCountMax } from "../../src/ingress/imap/tokenise.ts";
import { renderLimits } from "../../src/operations/services/templates/render-budget.ts";
import { workerKinds } from "../../src/operations/services/worker-kinds.ts";
import { lineBytesMax } from "../../src/transfer/import-lines.ts";
import type { ListenerName } from "../fuzz/listener-seeds.ts";
import { markdownTable } from "../documentation.ts";

/** Kinds of limits, in the order of the page. */
const kinds = ["bytes", "values", "depth", "time", "arrival", "memory", "rate"] as const;

/** Limit before and after authentication, or the same in both. */
type Cell = string | readonly [before: string, after: string];

/** The compiler finds an empty cell. */
type Cells = { readonly [Kind in (typeof kinds)[number]]: Cell };

const size = (bytes: number): string =>
  bytes % 1024 ** 2 === 0
    ? `${String(bytes / 1024 ** 2)} MiB`
    : bytes % 1024 === 0
      ? `${String(bytes / 1024)} KiB`
      : `${String(bytes)} bytes`;
const seconds = (ms: number): string => `${String(ms / 1000)} s`;
const count = (number: number): string => number.toLocaleString("en");
const rate = ({ periodMs, bytesMin }: ArrivalRule): string =>
  `at least ${count(bytesMin)} bytes in each ${seconds(periodMs)}`;

const attempts = `${count(limits.wrongKeyCountPerMinuteMax)} wrong keys or passwords per address and minute`;
const sessions = `${count(limits.smtpSessionCountMax)} connections, ${count(limits.smtpSessionCountPerAddressMax)} per address; ${attempts}`;
const mailParts = `${count(limits.headerCountMax)} header fields in ${size(limits.headerBytesMax)}, ${size(structuredFieldBytesMax)} of one field, ${count(contactCountMax)} contacts of one field, ${count(limits.partCountMax)} parts, ${size(analysedLengthMax)} characters of a body analysed`;

const smtp: Cells = {
  bytes: `a line ${size(limits.commandLineBytesMax)}, a mail ${size(limits.messageBytesMax)}`,
  values: `${count(limits.recipientCountMax)} recipients; ${mailParts}`,
  depth: `${count(limits.partDepthMax)} levels of parts`,
  time: `${seconds(limits.smtpIdleMsMax)} idle, ${seconds(limits.smtpMailMsMax)} without a completed mail`,
  arrival: `${rate(contentArrival)} of a mail beyond ${size(typedMailBytesMax)}`,
  memory: `${size(limits.smtpBytesInFlightMax)} of mail that arrives; mail that is read and stored ${size(limits.mailWorkBytesMax)}`,
  rate: `${sessions}; with \`RESTANTE_MX\`, ${count(limits.publicSessionCountPerNetworkMax)} connections, and ${count(limits.publicRecipientCountPerNetworkPerMinuteMax)} recipients a minute without AUTH, per network of 24 bits (IPv4) or 48 (IPv6)`,
};

const { anonymous, authenticated } = imapCommandLimits;
const mailboxSessions = `${count(limits.mailboxSessionCountMax)} connections, ${count(limits.mailboxSessionCountPerAddressMax)} per address`;
const imap: Cells = {
  bytes: [
    `a line ${size(imapLineBytesMax)}, a command ${size(anonymous.commandBytesMax)}, its literals ${size(anonymous.literalBytesMax)}`,
    `a command ${size(authenticated.commandBytesMax)}, its literals ${size(authenticated.literalBytesMax)}, a mail of APPEND ${size(limits.messageBytesMax)}`,
  ],
  values: `${count(tokenCountMax)} tokens of a command`,
  depth: `${count(nestingMax)} lists in lists`,
  time: [`${seconds(limits.smtpIdleMsMax)} idle, ${seconds(signInMsMax)} in all`, "31 min idle (RFC 9051 §5.4)"],
  arrival: [`${seconds(signInMsMax)} until authentication`, `${rate(contentArrival)} of a literal of APPEND`],
  memory: [
    "that of one command for each connection",
    `mail of APPEND as of SMTP, ${size(limits.mailWorkBytesMax)}; responses as they are read`,
  ],
  rate: [sessions, mailboxSessions],
};
const pop3: Cells = {
  bytes: `a line ${size(limits.commandLineBytesMax)}`,
  values: "two arguments of a command",
  depth: "no nested syntax",
  time: [`${seconds(limits.smtpIdleMsMax)} idle, ${seconds(signInMsMax)} in all`, "10 min idle (RFC 1939 §3)"],
  arrival: [`${seconds(signInMsMax)} until authentication`, "10 min for a line"],
  memory: "that of one line for each connection; responses as they are read",
  rate: [sessions, mailboxSessions],
};

const http: Cells = {
  bytes: [
    `request line and header section ${size(defaultConnectionLimits.headerBytesMax)}; no body, or ${size(unauthenticatedBodyBytesMax)} where it contains the credentials`,
    `JSON with a message, and mail of a provider ${size(limits.contentBodyBytesMax)}, other JSON ${size(limits.jsonBodyBytesMax)}`,
  ],
  values: `${count(jsonValueCountMax)} values of JSON, ${count(formFieldCountMax)} fields of a form, names of ${count(bodyNameBytesMax)} bytes; ${mailParts}`,
  depth: `${count(jsonDepthMax)} levels of JSON`,
  time: `${seconds(defaultConnectionLimits.headersMsMax)} for a header section, ${seconds(defaultConnectionLimits.requestMsMax)} for a request, ${seconds(defaultConnectionLimits.keepAliveMsMax)} between requests, ${seconds(limits.writeMsMax)} without progress of a response`,
  arrival: `${rate(contentArrival)} of a body`,
  memory: [
    `${size(limits.unauthenticatedBytesInFlightMax)} of bodies`,
    `${size(limits.httpBytesInFlightMax)} of bodies, of which one key may use three quarters; ${size(limits.answerBytesInFlightMax)} of large responses`,
  ],
  rate: [
    `${attempts}; ${count(defaultConnectionLimits.tunnelCountMax)} CONNECT tunnels`,
    `${count(limits.requestCountPerKeyMax)} requests of a key at a time, of which ${count(limits.waiterCountPerKeyMax)} wait and ${count(limits.eventStreamCountPerKeyMax)} are event streams`,
  ],
};

const listeners: { readonly [Name in ListenerName]: Cells } = {
  smtp,
  smtps: smtp,
  lmtp: smtp,
  imap,
  imaps: imap,
  pop3,
  pop3s: pop3,
  http,
  https: http,
  mailpit: http,
  mailhog: http,
  maildev: http,
  smtp4dev: http,
};

const memoryOfWorkers = workerKinds.map(
  ({ task, memory }) =>
    `${task} ${String(memory.heapMegabytesMax)} MB of heap and ${String(memory.buffersMegabytesMax)} MB of buffers`,
);
const timesOfWorkers = workerKinds.map(({ task, callMsMax }) => `${task} ${seconds(callMsMax)}`);

/** Ways in that are no listeners. */
const others: Readonly<Record<string, Cells>> = {
  "Worker processes (templates, reports, bodies, large mail)": {
    bytes: `a mail ${size(limits.messageBytesMax)}; output of templates ${count(renderLimits.outputLengthMax)} characters`,
    values: `${count(renderLimits.tagCountMax)} tags, ${count(renderLimits.stepCountMax)} steps of templates`,
    depth: `${count(limits.partDepthMax)} levels of parts, 100 of templates`,
    time: timesOfWorkers.join(", "),
    arrival: "nothing arrives slowly: requests are whole",
    memory: memoryOfWorkers.join(", "),
    rate: "one call of a key at a time for each kind with two workers; one call that ends a worker is the only victim",
  },
  "Imports (`restante import`), by the operator": {
    bytes: `a line of an export ${size(lineBytesMax)}, a mail ${size(limits.messageBytesMax)}`,
    values: mailParts,
    depth: `${count(limits.partDepthMax)} levels of parts`,
    time: "none: the operator waits, and can repeat an import",
    arrival: "none: the operator's own file or pipe",
    memory: "one line or mail at a time, and one batch of the store",
    rate: "none: one import at a time",
  },
};

function table(cells: Cells): string {
  const rows = kinds.map((kind) => {
    const cell = cells[kind];
    return [kind, ...(typeof cell === "string" ? [cell, "the same"] : cell)];
  });
  return markdownTable(["limit", "before authentication", "after authentication"], rows);
}

/** Returns the tables of the page: one for each set of limits, with the names of the listeners that share it. */
export function limitTables(): string {
  const groups = Map.groupBy(Object.entries(listeners), ([, cells]) => cells);
  const ofListeners = Array.from(groups, ([cells, sharing]) => {
    const names = sharing.map(([name]) => name).join(", ");
    return `## Listeners ${names}\n\n${table(cells)}`;
  });
  return [...ofListeners, ...Object.entries(others).map(([name, cells]) => `## ${name}\n\n${table(cells)}`)].join(
    "\n\n",
  );
}
