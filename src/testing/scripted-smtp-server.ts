import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { TLSSocket, type SecureContext } from "node:tls";

/** Scripted reply: a reply line, `drop` to close the connection, or `stall` for no reply. */
export type ScriptedReply = string;

/** Replies by verb, in sequence, the last one repeated; other verbs succeed. */
export type SmtpScript = Readonly<Record<string, readonly ScriptedReply[]>>;

/** Behaviour of the server. Verbs are `GREETING`, `EHLO`, `STARTTLS`, `AUTH`, `MAIL`, `RCPT`, `DATA`, `CONTENT`, `RSET`. */
export interface ScriptedServerOptions {
  readonly script?: SmtpScript;
  /** Keywords that EHLO offers besides `8BITMIME`. */
  readonly keywords?: readonly string[];
  /** Key and certificate for STARTTLS. */
  readonly secureContext?: SecureContext;
  /** TLS from the first byte. */
  readonly isImplicitTls?: boolean;
}

/** SMTP server with scripted replies that records what clients send; it does not parse mail. */
export interface ScriptedSmtpServer extends AsyncDisposable {
  readonly port: number;
  /** Received lines of all connections in order; `TLS` stands for a completed handshake. */
  readonly connections: readonly (readonly string[])[];
  /** Content after DATA, dot-stuffed, without the final dot line. */
  readonly contents: readonly Buffer[];
}

interface Conversation {
  readonly options: ScriptedServerOptions;
  readonly lines: string[];
  readonly contents: Buffer[];
  readonly used: Map<string, number>;
  socket: Socket;
  buffer: Buffer;
  isContent: boolean;
}

/** Starts the server on a free port of 127.0.0.1; disposing closes it. */
export async function startScriptedSmtpServer(options: ScriptedServerOptions = {}): Promise<ScriptedSmtpServer> {
  const connections: string[][] = [];
  const contents: Buffer[] = [];
  const used = new Map<string, number>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const lines: string[] = [];
    connections.push(lines);
    sockets.add(socket);
    socket.on("error", () => undefined);
    const buffer = Buffer.alloc(0);
    const conversation: Conversation = { options, lines, contents, used, socket, buffer, isContent: false };
    if (options.isImplicitTls === true) upgrade(conversation, true);
    else listen(conversation);
    if (options.isImplicitTls !== true) reply(conversation, "GREETING", "220 scripted ESMTP");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    connections,
    contents,
    [Symbol.asyncDispose]: () => close(server, sockets),
  };
}

async function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  for (const socket of sockets) socket.destroy();
  await new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
  });
}

function listen(conversation: Conversation): void {
  conversation.socket.on("data", (chunk: Buffer) => {
    conversation.buffer = Buffer.concat([conversation.buffer, chunk]);
    while (takeNext(conversation));
  });
}

function upgrade(conversation: Conversation, greets: boolean): void {
  const { socket, options } = conversation;
  socket.removeAllListeners("data");
  const secure = new TLSSocket(socket, { isServer: true, secureContext: options.secureContext });
  secure.on("error", () => undefined);
  secure.once("secure", () => {
    conversation.lines.push("TLS");
    if (greets) reply(conversation, "GREETING", "220 scripted ESMTP");
  });
  conversation.socket = secure;
  conversation.buffer = Buffer.alloc(0);
  listen(conversation);
}

function takeNext(conversation: Conversation): boolean {
  const end = conversation.buffer.indexOf(conversation.isContent ? "\r\n.\r\n" : "\r\n");
  if (end === -1) return false;
  const taken = conversation.buffer.subarray(0, end);
  conversation.buffer = conversation.buffer.subarray(end + (conversation.isContent ? 5 : 2));
  if (conversation.isContent) {
    conversation.isContent = false;
    conversation.contents.push(Buffer.concat([taken, Buffer.from("\r\n")]));
    reply(conversation, "CONTENT", "250 2.0.0 Ok: queued");
  } else takeLine(conversation, taken.toString());
  return true;
}

function takeLine(conversation: Conversation, line: string): void {
  const { options } = conversation;
  conversation.lines.push(line);
  const verb = /^[A-Za-z]+/.exec(line)?.[0].toUpperCase() ?? "";
  switch (verb) {
    case "EHLO": {
      const offers = ["8BITMIME", ...(options.keywords ?? [])];
      if (options.secureContext !== undefined && !(conversation.socket instanceof TLSSocket)) offers.push("STARTTLS");
      const lines = ["scripted", ...offers];
      reply(conversation, verb, lines.map((text, at) => `250${at < lines.length - 1 ? "-" : " "}${text}`).join("\r\n"));
      return;
    }
    case "STARTTLS":
      if (reply(conversation, verb, "220 go ahead").startsWith("220")) upgrade(conversation, false);
      return;
    case "AUTH":
      reply(conversation, verb, "235 2.7.0 welcome");
      return;
    case "DATA":
      conversation.isContent = reply(conversation, verb, "354 go ahead").startsWith("354");
      return;
    case "QUIT":
      conversation.socket.end("221 bye\r\n");
      return;
    default:
      reply(conversation, verb, "250 Ok");
  }
}

function reply(conversation: Conversation, verb: string, usual: string): ScriptedReply {
  const { options, used, socket } = conversation;
  const scripted = options.script?.[verb] ?? [];
  const count = used.get(verb) ?? 0;
  used.set(verb, count + 1);
  const answer = scripted[Math.min(count, scripted.length - 1)] ?? usual;
  if (answer === "drop") socket.destroy();
  else if (answer !== "stall") socket.write(`${answer}\r\n`);
  return answer;
}
