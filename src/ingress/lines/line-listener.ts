import type { Socket } from "node:net";
import type { SecureContext } from "node:tls";
import { signInMsMax } from "../../core/arrival-rate.ts";
import { Problem } from "../../core/errors.ts";
import type { Limits } from "../../core/limits.ts";
import { LineConnection, type LineBounds } from "./line-connection.ts";
import {
  type NewConnections,
  type OpenListener,
  SessionListener,
  type SessionListenerOptions,
  SessionSlots,
  type SlotBounds,
} from "./session-listener.ts";

/** Connections that wait until another session of their address has signed in or ended, and the time limit for it. */
const waitingCountMax = 1000;
const waitingMsMax = 10_000;

/** Options of {@link startLineListener}. */
export interface LineListenerOptions extends LineBounds, Omit<SessionListenerOptions, "pausesConnections"> {
  /** Returns the current secure context, called for every handshake; undefined: TLS is not offered. */
  readonly secureContext: () => SecureContext | undefined;
  /** Bounds of sessions until they are authenticated; further connections wait for a short time. */
  readonly anonymousSessions: SlotBounds;
  /** Bounds of sessions that are authenticated. */
  readonly authenticatedSessions: SlotBounds;
  readonly onTlsFailure: (error: Error | null) => void;
  /** Runs one session to its end. */
  readonly runSession: (connection: LineConnection) => Promise<void>;
}

/** Opens a listener; rejects, with nothing left open, when an address cannot be bound. */
export async function startLineListener(options: LineListenerOptions): Promise<OpenListener> {
  const connections = new LineConnections(options);
  await connections.listener.listen();
  return connections.listener;
}

/** Connections of a listener, of which some wait for a session. */
class LineConnections implements NewConnections {
  readonly listener: SessionListener<LineConnection>;
  readonly #options: LineListenerOptions;
  readonly #anonymous: SessionSlots;
  readonly #authenticated: SessionSlots;
  /** Connections that nothing has been read from, in the order of their arrival. */
  readonly #waiting = new Map<Socket, { readonly address: string; readonly cancel: () => void }>();

  constructor(options: LineListenerOptions) {
    this.#options = options;
    this.#anonymous = new SessionSlots(options.anonymousSessions);
    this.#authenticated = new SessionSlots(options.authenticatedSessions);
    this.listener = new SessionListener({ ...options, pausesConnections: true }, this);
  }

  accept(socket: Socket, address: string): void {
    const release = this.#anonymous.take(address);
    if (release !== null) this.#open(socket, address, release);
    else if (this.#waiting.size < waitingCountMax) this.#wait(socket, address);
    else this.listener.refuse(socket);
  }

  endAll(): void {
    for (const [socket, { cancel }] of this.#waiting) {
      cancel();
      this.listener.refuse(socket);
    }
    this.#waiting.clear();
  }

  #wait(socket: Socket, address: string): void {
    // Counted when it is refused; a client that disconnects meanwhile needs no other handling.
    socket.on("error", () => undefined);
    const cancel = this.#options.clock.after(waitingMsMax, () => {
      this.#waiting.delete(socket);
      this.listener.refuse(socket);
    });
    this.#waiting.set(socket, { address, cancel });
  }

  #openWaiting(): void {
    for (const [socket, { address, cancel }] of this.#waiting) {
      const release = socket.destroyed ? null : this.#anonymous.take(address);
      if (!socket.destroyed && release === null) continue;
      cancel();
      this.#waiting.delete(socket);
      if (release !== null) this.#open(socket, address, release);
    }
  }

  #open(socket: Socket, address: string, releaseAnonymous: () => void): void {
    let release = releaseAnonymous;
    const onAuthenticated = (): boolean => {
      const releaseAuthenticated = this.#authenticated.take(address);
      if (releaseAuthenticated === null) return false;
      release();
      release = releaseAuthenticated;
      this.#openWaiting();
      return true;
    };
    const connection = new LineConnection(socket, { ...this.#options, clientAddress: address, onAuthenticated });
    const onEnd = (): void => {
      release();
      this.#openWaiting();
    };
    this.listener.run(connection, () => this.#run(connection), onEnd);
  }

  async #run(connection: LineConnection): Promise<void> {
    const { implicitTls, secureContext, runSession } = this.#options;
    if (implicitTls) {
      const context = secureContext();
      if (context === undefined) throw new Error("no certificate");
      await connection.secure(context);
    }
    if (!connection.isClosed) await runSession(connection);
    await connection.finish();
  }
}

/**
 * Returns the bounds of a listener for mail clients: those of SMTP before a client signs in, and wider ones for clients that
 * have proved who they are, which keep connections open to be notified.
 */
export function sessionBounds(
  limits: Limits,
): Pick<LineListenerOptions, "anonymousSessions" | "authenticatedSessions"> {
  return {
    anonymousSessions: {
      countMax: limits.smtpSessionCountMax,
      countPerAddressMax: limits.smtpSessionCountPerAddressMax,
    },
    authenticatedSessions: {
      countMax: limits.mailboxSessionCountMax,
      countPerAddressMax: limits.mailboxSessionCountPerAddressMax,
    },
  };
}

/** Options of a listener through which email clients read mail. */
export interface MailAccessOptions<Operations> extends Pick<
  LineListenerOptions,
  "hosts" | "port" | "clock" | "log" | "metrics" | "implicitTls" | "secureContext" | "onTlsFailure"
> {
  /** Host name in the greeting. */
  readonly hostname: string;
  /** Whether a client with this address may send a password without TLS. */
  readonly allowsClearText: (clientAddress: string) => boolean;
  readonly limits: Limits;
  readonly operations: Operations;
}

/** Opens a listener through which email clients read mail. Rejects as {@link startLineListener} does. */
export async function startMailAccess(
  options: MailAccessOptions<unknown>,
  own: Pick<LineListenerOptions, "protocol" | "lineBytesMax" | "authenticatedIdleMsMax" | "refusal" | "runSession">,
): Promise<OpenListener> {
  const { limits } = options;
  const bounds = { idleMsMax: limits.smtpIdleMsMax, signInMsMax, writeMsMax: limits.writeMsMax };
  return await startLineListener({ ...options, ...bounds, ...sessionBounds(limits), ...own });
}

/** Time between two checks of whether the credentials of a session are still valid. */
const accessCheckMs = 15_000;

/** User and password, or bearer token, that a client sends. */
type PasswordCredentials = Readonly<Record<"user" | "password", string>>;

/** Operations that the sessions of email clients have in common. */
interface AccessOperations<Access> {
  readonly access: (
    credentials: PasswordCredentials & { readonly clientAddress: string },
  ) => Promise<Access | undefined>;
  readonly isOpen: (access: Access) => Promise<boolean>;
}

/** State that the sessions of email clients have in common. */
export class MailAccessSession<
  Access,
  Context extends Pick<
    MailAccessOptions<AccessOperations<Access>>,
    "allowsClearText" | "clock" | "implicitTls" | "metrics" | "operations" | "secureContext"
  >,
> {
  readonly connection: LineConnection;
  readonly context: Context;
  #checkedAt = 0;

  constructor(connection: LineConnection, context: Context) {
    this.connection = connection;
    this.context = context;
  }

  /** Whether credentials may be sent. */
  get acceptsCredentials(): boolean {
    return this.connection.isSecure || this.context.allowsClearText(this.connection.clientAddress);
  }

  /** Whether TLS can be started. */
  get offersTls(): boolean {
    return !this.connection.isSecure && !this.context.implicitTls && this.context.secureContext() !== undefined;
  }

  /** Requests the response of the client to a challenge; null when it left. */
  async challenge(text = ""): Promise<string | null> {
    await this.connection.write(`+ ${text}\r\n`);
    const line = await this.connection.readLine();
    if (line.kind === "end") return null;
    return line.kind === "line" ? line.text : "";
  }

  /** Returns the access of credentials; undefined for wrong ones, and null after too many, both of which are counted. */
  async verify(credentials: PasswordCredentials): Promise<Access | null | undefined> {
    const { operations, metrics } = this.context;
    const { clientAddress } = this.connection;
    const access = await operations.access({ ...credentials, clientAddress }).catch((error: unknown) => {
      if (error instanceof Problem && error.code === "too_many_requests") return null;
      throw error;
    });
    if (access === undefined || access === null) metrics.refused("authentication");
    return access;
  }

  /** Notes that credentials are valid now. */
  protected noteChecked(): void {
    this.#checkedAt = this.context.clock.monotonicMs();
  }

  /** Returns whether credentials are still valid; asks again after {@link accessCheckMs}. */
  protected async isStillValid(access: Access): Promise<boolean> {
    if (this.context.clock.monotonicMs() - this.#checkedAt < accessCheckMs) return true;
    this.noteChecked();
    return await this.context.operations.isOpen(access);
  }
}
