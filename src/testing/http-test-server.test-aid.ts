/** HTTP application over a real store in a temporary folder, for tests of routes. */
import { createTargetPolicy } from "../core/outgoing-target.ts";
import { rm } from "node:fs/promises";
import inject from "light-my-request";
import type { Response } from "light-my-request";
import type { SmtpSession } from "../core/smtp-session.ts";
import { createEventHub } from "../core/events.ts";
import { createIdSource, type MessageId, type ServerId } from "../core/ids.ts";
import { defaultLimits, type Limits } from "../core/limits.ts";
import { createHttpApp, type HttpApp } from "../http/app.ts";
import type { AnsweredRequest, FailedRequest, HttpOptions } from "../http/options.ts";
import type { Context, ServiceSettings } from "../operations/context.ts";
import { addKey, newSecret } from "../operations/keys/keys.ts";
import { createServer } from "../operations/servers/servers.ts";
import { createQuotas } from "../operations/services/limits/quotas.ts";
import { readEmail } from "../operations/services/reading/read-email.ts";
import { receiveEmail } from "../operations/inbound/receive-email.ts";
import { createThrottle } from "../operations/services/security/throttle.ts";
import { directoryWithDatabase } from "../store/sqlite/new-database.test-aid.ts";
import { openSqliteStore } from "../store/sqlite/open.ts";
import { sameThread } from "../store/sqlite/threads/same-thread.test-aid.ts";
import type { Store } from "../store/store.ts";
import { analysersOf } from "./analysers.ts";
import { FakeClock } from "./fake-clock.ts";
import { standIns } from "./stand-ins.ts";
import { waitingParts } from "./waiting-parts.ts";

/** Server with a key that is restricted to it. */
export interface TestServer {
  readonly id: ServerId;
  readonly key: string;
}

/** Mail to store in a server; missing parts have defaults. */
export interface TestMail {
  readonly from?: string;
  readonly to?: string;
  readonly subject?: string;
  readonly text?: string;
  /** Raw mail with CRLF line ends, instead of the fields above. */
  readonly raw?: string | Buffer;
  /** Replaces parts of the session and the envelope. */
  readonly session?: Partial<SmtpSession>;
  readonly mailFrom?: string;
  /** Encoded transcript of the session. */
  readonly transcript?: string;
}

/** Parts of a request. */
export interface Ask {
  /** User name of HTTP Basic; default: the account key; null: no authentication. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Body, sent as JSON; strings and buffers are sent unchanged. */
  readonly body?: unknown;
  readonly remoteAddress?: string;
}

/** An answer of {@link HttpTestServer.ask}. */
export type Reply = Response;

/** Options of {@link openHttpTestServer}. */
export type HttpTestServerOptions = Partial<Omit<HttpOptions, "context">> & {
  readonly limits?: Partial<Limits>;
  readonly settings?: Partial<ServiceSettings>;
  readonly context?: Partial<Context>;
  /** Store, which is closed with the application. Default: SQLite in a temporary folder. */
  readonly store?: Store;
};

/** HTTP application with its dependencies. */
export class HttpTestServer {
  readonly app: HttpApp;
  readonly context: Context;
  readonly clock: FakeClock;
  readonly accountKey: string;
  readonly answered: readonly AnsweredRequest[];
  readonly failed: readonly FailedRequest[];
  readonly #dispose: () => Promise<void>;

  /** Use {@link openHttpTestServer}. */
  constructor(
    parts: Pick<HttpTestServer, "app" | "context" | "clock" | "accountKey" | "answered" | "failed">,
    dispose: () => Promise<void>,
  ) {
    this.app = parts.app;
    this.context = parts.context;
    this.clock = parts.clock;
    this.accountKey = parts.accountKey;
    this.answered = parts.answered;
    this.failed = parts.failed;
    this.#dispose = dispose;
  }

  /** Sends a request such as `GET /api/servers` without a socket. */
  async ask(line: string, ask: Ask = {}): Promise<Reply> {
    const [method = "", url = ""] = line.split(" ");
    const { body, headers, remoteAddress, key = this.accountKey } = ask;
    const isPlain = body === undefined || typeof body === "string" || Buffer.isBuffer(body);
    return inject(this.app.handle, {
      method: method as "GET",
      url,
      ...(remoteAddress !== undefined && { remoteAddress }),
      headers: {
        ...(key !== null && { authorization: `Basic ${Buffer.from(`${key}:`).toString("base64")}` }),
        ...(!isPlain && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { payload: isPlain ? body : JSON.stringify(body) }),
    });
  }

  /** Creates an empty server with a restricted key. */
  async addServer(name = "Test"): Promise<TestServer> {
    const { server, secret } = await createServer(
      this.context,
      { keyId: "test", server: null },
      { name, withKey: true },
    );
    return { id: server.id, key: secret ?? "" };
  }

  /** Stores a mail in a server, received a millisecond after the previous one. */
  async deliver(server: TestServer, mail: TestMail = {}): Promise<MessageId> {
    this.clock.advance(1);
    const { from = "app@sender.example", session = {}, subject = "Hello", text = "Hello there.\r\n" } = mail;
    const to = mail.to ?? `someone@${server.id}.restante.test`;
    const raw = mail.raw ?? `From: ${from}\r\nTo: ${to}\r\nSubject: ${subject}\r\n\r\n${text}`;
    const [id] = await receiveEmail(this.context, {
      mailFrom: mail.mailFrom ?? from,
      recipients: [{ address: to, server: server.id }],
      raw: typeof raw === "string" ? Buffer.from(raw, "utf8") : raw,
      session: {
        ehlo: "sender.example",
        clientAddress: "127.0.0.1",
        protocol: "ESMTP",
        tls: null,
        authenticatedAs: null,
        ...session,
      },
      ...(mail.transcript !== undefined && { transcript: () => mail.transcript ?? "" }),
    });
    if (id === undefined) throw new Error("the mail was not stored");
    return id;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dispose();
  }
}

/** Opens an HTTP application, bound to loopback with base URL `http://localhost` and a fake clock. */
export async function openHttpTestServer(changes: HttpTestServerOptions = {}): Promise<HttpTestServer> {
  const directory = directoryWithDatabase("restante-http-");
  const store = changes.store ?? (await openSqliteStore({ directory, durable: false, threads: sameThread }));
  const clock = new FakeClock();
  const context = { ...contextOf(store, clock, changes), ...changes.context };
  const answered: AnsweredRequest[] = [];
  const failed: FailedRequest[] = [];
  const { limits: _limits, settings: _settings, context: _context, store: _store, ...others } = changes;
  const app = createHttpApp({
    context,
    listEnvelope: "auto",
    health: {
      live: () => true,
      ready: async () => true,
      metricsText: async () => "# no metrics\n",
      taskStates: () => [],
    },
    observer: { answered: (request) => answered.push(request), failed: (request) => failed.push(request) },
    hostRules: { bindAddresses: ["127.0.0.1"], hosts: [".restante.test"] },
    trustLoopback: true,
    ...others,
  });
  const accountKey = newSecret();
  await addKey(context, { secret: accountKey, name: "account", server: null });
  return new HttpTestServer({ app, context, clock, accountKey, answered, failed }, async () => {
    context.waiters.close();
    await app.close();
    await Promise.all([context.inspector.close(), context.bodies.close(), context.templates.close()]);
    await store.close();
    await rm(directory, { recursive: true, force: true });
  });
}

function contextOf(
  store: Context["store"],
  clock: FakeClock,
  { limits: changedLimits, settings }: Pick<HttpTestServerOptions, "limits" | "settings">,
): Context {
  const limits = { ...defaultLimits, ...changedLimits };
  return {
    store,
    clock,
    limits,
    ...waitingParts(clock, createEventHub(), limits),
    ids: createIdSource(() => clock.now()),
    settings: {
      mailDomain: "restante.test",
      catchAll: "first",
      publicUrl: () => "http://localhost",
      dns: { kind: "off" },
      verified: ["friend@outside.example", "@verified.example"],
      configuredServers: [],
      idleServerDays: null,
      acceptsAnyProviderKey: false,
      hasRelay: true,
      mtaSts: null,
      approvedPhrases: ["YES", "NO", "STOP", "START"],
      callbackOrigins: [],
      targets: createTargetPolicy({
        origins: ["http://app.test", "https://api.example"],
        allowsLoopback: true,
      }),
      scannerTargets: createTargetPolicy({ origins: [], allowsLoopback: true, setting: "RESTANTE_SCANNER_ORIGINS" }),
      ...settings,
    },
    repeats: new Map(),
    onceRequests: new Map(),
    wakeOutbox: () => undefined,
    wakeCallbacks: () => undefined,
    wakeScans: () => undefined,
    operatorToken: "the operator's token",
    readEmail: (raw) => readEmail(raw, limits),
    wrongSecrets: createThrottle(clock, limits.wrongKeyCountPerMinuteMax),
    quotas: createQuotas({ store, clock, limits }),
    ...standIns({ clock, store, limits }),
    ...analysersOf(limits, clock),
    closing: new AbortController().signal,
  };
}
