/** Notifications between nodes over LISTEN and NOTIFY, on a connection of its own. */
import { randomBytes } from "node:crypto";
import type { BackgroundTask, BackgroundTasks } from "../../../core/background-tasks.ts";
import type { Clock } from "../../../core/clock.ts";
import type { NodeNotification } from "../../node-store.ts";
import { connect, type Connection } from "../connection/connection.ts";
import { readDatabaseUrl } from "../connection/connection-url.ts";
import { payloadsOf, readPayload } from "./notification-payload.ts";

/** Options of {@link openNotifications}. */
export interface NotificationOptions {
  readonly clock: Clock;
  /** Random number from 0 to 1, for the jitter of pauses. */
  readonly random: () => number;
  /** Called once when a pooler is between: one that switches sessions loses notifications. */
  readonly onPooler: () => void;
  /** Registry that the connection reports to, as `notifications`. */
  readonly tasks: BackgroundTasks;
}

/** Notifications of one node. */
export type NodeNotifications = Pick<PostgresNotifications, "notify" | "onNotification" | "close">;

const channel = "restante_hints";
/** Minimum time between two batches of one node: every node receives everything, which must not grow with the mail. */
const batchPauseMs = 20;
const waitingCountMax = 5000;
const statementMsMax = 5000;
/** Idle time after which a keep-alive is sent. */
const keepAliveMs = 10_000;
const firstReconnectMs = 100;
const reconnectMsMax = 5000;

/**
 * Opens notifications between all nodes of a database. The first notification is sent at once, those of the next 20 ms
 * together. They are never sent in a transaction that stores data: PostgreSQL serialises the commits of such
 * transactions. Throws as {@link readDatabaseUrl}.
 */
export function openNotifications(url: string, options: NotificationOptions): NodeNotifications {
  return new PostgresNotifications(url, options);
}

class PostgresNotifications {
  readonly #target;
  readonly #options: NotificationOptions;
  readonly #task: BackgroundTask;
  readonly #node = randomBytes(9).toString("base64url");
  readonly #listeners = new Set<(notification: NodeNotification) => void>();
  /** Waiting notifications by subject: a later one of a server replaces an earlier one. */
  readonly #waiting = new Map<string, NodeNotification>();
  #connection: Connection | null = null;
  #isSending = false;
  #isClosed = false;
  #failureCount = 0;
  #notificationCount = 0;
  #cancelPause: () => void = () => undefined;
  #cancelKeepAlive: () => void = () => undefined;
  /** True when the next payload is sent even without notifications. */
  #isKeepAliveDue = false;
  #isPoolerKnown = false;

  constructor(url: string, options: NotificationOptions) {
    this.#target = readDatabaseUrl(url);
    this.#options = options;
    this.#task = options.tasks.register("notifications", {
      degrades: "waiting searches see messages of other nodes up to a second late",
    });
    void this.#connect();
  }

  /** Sends notifications in batches; they are lost while there is no connection. */
  notify(notification: NodeNotification): void {
    if (this.#connection === null || this.#waiting.size >= waitingCountMax) return;
    this.#notificationCount += 1;
    this.#waiting.set(
      notification.kind === "changed" ? notification.server : String(this.#notificationCount),
      notification,
    );
    if (!this.#isSending && notification.kind !== "traced") void this.#sendAll();
  }

  onNotification(listener: (notification: NodeNotification) => void): void {
    this.#listeners.add(listener);
  }

  close(): void {
    this.#isClosed = true;
    this.#task.end();
    this.#cancelPause();
    this.#cancelKeepAlive();
    this.#connection?.close();
    this.#connection = null;
  }

  async #connect(): Promise<void> {
    try {
      const connection = await connect(this.#target);
      if (this.#isClosed) return connection.close();
      connection.onNotification((from, payload) => {
        if (from === channel) this.#receive(payload);
      });
      connection.onEnd(() => {
        if (this.#connection === connection) this.#reconnect(new Error("the connection was lost"));
      });
      await this.#run(connection, `set synchronous_commit = off; listen ${channel}`);
      this.#connection = connection;
      if (!connection.isUsable()) return this.#reconnect(new Error("the connection was lost"));
      this.#failureCount = 0;
      this.#task.succeeded();
      if (!this.#isPoolerKnown && !(await connection.isDirect(statementMsMax))) {
        this.#isPoolerKnown = true;
        this.#options.onPooler();
      }
      this.#keepAlive();
    } catch (error) {
      this.#reconnect(error);
    }
  }

  #reconnect(cause: unknown): void {
    this.#connection?.close();
    this.#connection = null;
    this.#waiting.clear();
    this.#cancelKeepAlive();
    if (this.#isClosed) return;
    const { clock, random } = this.#options;
    const waitMs = Math.min(reconnectMsMax, firstReconnectMs * 2 ** this.#failureCount) * (0.5 + random());
    this.#failureCount += 1;
    this.#task.failed(cause, Math.round(waitMs));
    this.#cancelPause = clock.after(waitMs, () => void this.#connect());
  }

  /** Sends a periodic keep-alive to detect dead connections. */
  #keepAlive(): void {
    const connection = this.#connection;
    if (connection === null) return;
    this.#isKeepAliveDue = true;
    if (!this.#isSending) void this.#sendAll();
    this.#cancelKeepAlive = this.#options.clock.after(keepAliveMs, () => {
      if (this.#connection === connection) this.#keepAlive();
    });
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    while (this.#connection !== null && (this.#waiting.size > 0 || this.#isKeepAliveDue)) {
      const notifications = [...this.#waiting.values()];
      this.#waiting.clear();
      this.#isKeepAliveDue = false;
      try {
        for (const payload of payloadsOf(this.#node, notifications)) {
          await this.#run(this.#connection, "select pg_notify($1, $2)", [channel, payload]);
        }
      } catch {
        // Closing the connection reports its loss above.
        this.#connection?.close();
      }
      await new Promise<void>((resolve) => void this.#options.clock.after(batchPauseMs, resolve));
    }
    this.#isSending = false;
  }

  async #run(connection: Connection | null, sql: string, parameters: readonly unknown[] = []): Promise<void> {
    await connection?.run({ sql, parameters, timeoutMs: statementMsMax });
  }

  #receive(payload: string): void {
    const { node, notifications } = readPayload(payload);
    if (node === this.#node) return;
    for (const notification of notifications) for (const listener of this.#listeners) listener(notification);
  }
}
