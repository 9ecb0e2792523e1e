import { setTimeout as pause } from "node:timers/promises";
import { connect, type Socket } from "node:net";
import {
  benchKey,
  benchServer,
  freePort,
  processorMs,
  residentMegabytes,
  startService,
  type Program,
  waitUntilIndexed,
} from "./child.ts";
import { HttpClient } from "./http-load.ts";
import { printTable, ratio } from "./report.ts";
import { Conversation, sendLoad } from "./senders.ts";

const messageCount = 100_000;
/** Calls of a row: enough for the resolution of CPU time, which is 10 ms. */
const callCount = 40;
const idleSessionCount = 1000;
const rare = "From: Rare Sender <rare@else.example>\r\nSubject: A seldom one\r\nX-Rare: yes\r\n\r\nSeldom text.\r\n";

/** Measures the CPU time of IMAP commands on a server of 100,000 messages beside the HTTP list, and the memory of sessions. */
export async function benchImap(): Promise<void> {
  await withService(async (service, account) => {
    await fill(service, messageCount);
    await waitUntilIndexed(service);
    await measureCommands(service, account);
  });
  await withService(async (service, account) => {
    await fill(service, 100);
    await measureSessions(service, account);
  });
}

async function withService(measure: (service: Program, account: ImapAccount) => Promise<void>): Promise<void> {
  const imapPort = await freePort();
  const service = await startService("source", { RESTANTE_IMAP_PORT: String(imapPort) });
  try {
    await measure(service, { imapPort, password: await passwordOf(service) });
  } finally {
    await service.stop();
  }
}

/** Port and password by which a session signs in. */
interface ImapAccount {
  readonly imapPort: number;
  readonly password: string;
}

async function fill(service: Program, count: number): Promise<void> {
  const load = { port: service.smtpPort, domain: `${benchServer}.restante.test`, senders: 20, keepsConnection: true };
  await sendLoad({ ...load, mails: count / 2, isShort: true });
  const conversation = await Conversation.open(service.smtpPort);
  for (let sent = 0; sent < 5; sent += 1) await conversation.send(`rare@${load.domain}`, Buffer.from(rare));
  await conversation.quit();
  await sendLoad({ ...load, mails: count / 2, isShort: true });
}

const authorization = `Authorization: Bearer ${benchKey}\r\n`;

async function passwordOf({ httpPort }: Program): Promise<string> {
  const client = await HttpClient.open(httpPort);
  const body = await client.get(`/api/servers/${benchServer}/password`, authorization);
  client.close();
  return (JSON.parse(body.toString()) as { value: string }).value;
}

async function measureCommands({ pid, httpPort }: Program, account: ImapAccount): Promise<void> {
  const http = await HttpClient.open(httpPort);
  const session = await ImapSession.open(account);
  const startMs = processorMs(pid);
  const { exists } = await session.select();
  const firstMs = processorMs(pid) - startMs;
  const longAgo = Date.now() - 86_400_000;
  const calls: readonly (readonly [name: string, call: (number: number) => Promise<unknown>])[] = [
    [
      "HTTP: newest 50, a different query each time",
      (number) =>
        http.get(`/api/messages?server=${benchServer}&receivedAfter=${String(longAgo + number)}`, authorization),
    ],
    ["SELECT, again", async () => session.select()],
    ["FETCH of the newest 50: UID FLAGS", async () => session.ask(`FETCH ${exists - 49}:* (UID FLAGS)`)],
    ["FETCH of the newest 50: ENVELOPE", async () => session.ask(`FETCH ${exists - 49}:* (UID FLAGS ENVELOPE)`)],
    ["FETCH of the newest 50: BODYSTRUCTURE", async () => session.ask(`FETCH ${exists - 49}:* BODYSTRUCTURE`)],
    ["SEARCH UNSEEN, newest 50", async () => session.ask(`SEARCH ${exists - 49}:* UNSEEN`)],
    ["SEARCH FROM, 5 matches", async () => session.ask('SEARCH FROM "rare@"')],
    ["SEARCH SUBJECT, 5 matches", async () => session.ask('SEARCH SUBJECT "seldom"')],
    ["SEARCH BODY, 5 matches", async () => session.ask('SEARCH BODY "Seldom text"')],
    ["SEARCH TEXT, 5 matches", async () => session.ask('SEARCH TEXT "seldom"')],
    ["SEARCH HEADER of 5 messages", async () => session.ask("SEARCH FROM rare@ HEADER X-Rare yes")],
    ["SEARCH UNSEEN, all", async () => session.ask("SEARCH RETURN (COUNT) UNSEEN")],
  ];
  const rows: string[][] = [];
  let floor = Number.NaN;
  for (const [name, call] of calls) {
    await call(0);
    const before = processorMs(pid);
    let count = 0;
    for (; count < callCount && processorMs(pid) - before < 3000; count += 1) await call(count + 1);
    const ms = (processorMs(pid) - before) / count;
    if (Number.isNaN(floor)) floor = ms;
    rows.push([name, ms.toFixed(2), ratio(ms, floor)]);
  }
  rows.splice(1, 0, ["SELECT, the first one since the start", firstMs.toFixed(2), ratio(firstMs, floor)]);
  http.close();
  session.close();
  printTable("IMAP on a server of 100,000 messages", ["", "CPU ms", "to the HTTP list"], rows);
}

async function measureSessions({ pid }: Program, account: ImapAccount): Promise<void> {
  const sessions: ImapSession[] = [];
  const warm = await ImapSession.open(account);
  await warm.select();
  await pause(3000);
  const before = residentMegabytes(pid);
  for (let count = 0; count < idleSessionCount; count += 1) {
    const session = await ImapSession.open(account);
    await session.select();
    await session.idle();
    sessions.push(session);
  }
  await pause(3000);
  const megabytes = residentMegabytes(pid) - before;
  for (const session of [warm, ...sessions]) session.close();
  const rows = [[`${String(idleSessionCount)} sessions in IDLE`, megabytes.toFixed(0), "60"]];
  printTable("Memory of IMAP sessions", ["", "RSS, MB", "target"], rows);
}

/** Client side of one IMAP session. */
class ImapSession {
  readonly #socket: Socket;
  #received: Buffer[] = [];
  #isComplete: (text: string) => boolean = () => false;
  #settle: ((text: string) => void) | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => {
      this.#received.push(chunk);
      const end = Buffer.concat(this.#received.slice(-2)).toString("latin1").slice(-400);
      if (this.#isComplete(end)) this.#finish();
    });
    for (const event of ["error", "close"]) socket.on(event, () => this.#settle?.("closed"));
  }

  static async open({ imapPort, password }: ImapAccount): Promise<ImapSession> {
    const session = new ImapSession(connect(imapPort, "127.0.0.1"));
    await session.#until((end) => end.endsWith("\r\n"), null);
    await session.ask(`LOGIN ${benchServer} "${password}"`);
    return session;
  }

  /** Sends a command and returns its responses. Rejects unless it succeeds. */
  async ask(command: string): Promise<string> {
    return await this.#until((end) => /(?:^|\n)t (?:OK|NO|BAD) [^\n]*\n$/.test(end), `t ${command}\r\n`);
  }

  async select(): Promise<{ readonly exists: number }> {
    return { exists: Number(/\* (\d+) EXISTS/.exec(await this.ask("SELECT INBOX"))?.[1]) };
  }

  async idle(): Promise<void> {
    await this.#until((end) => /(?:^|\n)\+ [^\n]*\n$/.test(end), "t IDLE\r\n");
  }

  close(): void {
    this.#socket.destroy();
  }

  async #until(isComplete: (end: string) => boolean, command: string | null): Promise<string> {
    const text = await new Promise<string>((resolve) => {
      this.#isComplete = isComplete;
      this.#settle = resolve;
      if (command !== null) this.#socket.write(command);
    });
    if (text === "closed" || /(?:^|\n)t (?:NO|BAD) /.test(text.slice(-400))) throw new Error(text.slice(-400));
    return text;
  }

  #finish(): void {
    const text = Buffer.concat(this.#received).toString("latin1");
    this.#received = [];
    this.#settle?.(text);
  }
}
