/** Words between nodes over NOTIFY, on one connection a node that does nothing else. */
import { randomBytes } from "node:crypto";
import type { BackgroundTask, BackgroundTasks } from "../../../core/background-tasks.ts";
import type { Clock } from "../../../core/clock.ts";
import type { NodeNotification } from "../../node-store.ts";
import { connect, type Connection } from "../connection/connection.ts";
import { readDatabaseUrl } from "../connection/connection-url.ts";
import { payloadsOf, readPayload } from "./notification-payload.ts";

/** What may be chosen. */
export interface NotificationOptions {
  readonly clock: Clock;
  /** 0…1, for the jitter of pauses. */
  readonly random: () => number;
  /** Hears once when a pooler stands in between: where that changes sessions, notifications are lost. */
  readonly onPooler: () => void;
  /** Registry that the connection reports to, as `notifications`. */
  readonly tasks: BackgroundTasks;
}

/** The line of one node to the others. */
export interface NodeNotifications {
  /** Gathers notifications and tells them; notifications are lost while there is no connection. */
  notify(notification: NodeNotification): void;
  onNotification(listener: (notification: NodeNotification) => void): void;
  close(): void;
}

const channel = "restante_hints";
/** At most so often one node says something: everyone hears everything, which must not grow with the mail. */
const pauseMs = 20;
const gatheredCountMax = 5000;
const statementMsMax = 5000;
/** A connection on which nothing was said for so long is tried. */
const silenceMsMax = 10_000;
const firstReconnectMs = 100;
const reconnectMsMax = 5000;

/**
 * Words to and from all nodes with the same database. The first notification goes at once, those of the next 20 ms together. No
 * transaction that stores anything ever notifies: PostgreSQL commits such transactions one after the other. Throws as
 * {@link readDatabaseUrl} does.
 */
export function openNotifications(url: string, options: NotificationOptions): NodeNotifications {
  return new PostgresNotifications(url, options);
}

class PostgresNotifications implements NodeNotifications {
  readonly #target;
  readonly #options: NotificationOptions;
  readonly #task: BackgroundTask;
  readonly #node = randomBytes(9).toString("base64url");
  readonly #listeners = new Set<(notification: NodeNotification) => void>();
  /** By what they are about: a later notification of a server replaces an earlier one. */
  readonly #gathered = new Map<string, NodeNotification>();
  #connection: Connection | null = null;
  #isTelling = false;
  #isClosed = false;
  #failureCount = 0;
  #notificationCount = 0;
  #cancelPause: () => void = () => undefined;
  #cancelTrial: () => void = () => undefined;
  /** Whether the next payload is said even if it has no notifications. */
  #isTrial = false;
  #isPoolerKnown = false;

  constructor(url: string, options: NotificationOptions) {
    this.#target = readDatabaseUrl(url);
    this.#options = options;
    this.#task = options.tasks.register("notifications", {
      degrades: "searches that wait see mail of other nodes up to a second late",
    });
    void this.#connect();
  }

  notify(notification: NodeNotification): void {
    if (this.#connection === null || this.#gathered.size >= gatheredCountMax) return;
    this.#notificationCount += 1;
    this.#gathered.set(
      notification.kind === "changed" ? notification.server : String(this.#notificationCount),
      notification,
    );
    if (!this.#isTelling) void this.#tellAll();
  }

  onNotification(listener: (notification: NodeNotification) => void): void {
    this.#listeners.add(listener);
  }

  close(): void {
    this.#isClosed = true;
    this.#task.end();
    this.#cancelPause();
    this.#cancelTrial();
    this.#connection?.close();
    this.#connection = null;
  }

  async #connect(): Promise<void> {
    try {
      const connection = await connect(this.#target);
      if (this.#isClosed) return connection.close();
      connection.onNotification((from, payload) => {
        if (from === channel) this.#hear(payload);
      });
      connection.onEnd(() => {
        if (this.#connection === connection) this.#lose(new Error("the connection was lost"));
      });
      await this.#run(connection, `set synchronous_commit = off; listen ${channel}`);
      this.#connection = connection;
      if (!connection.isUsable()) return this.#lose(new Error("the connection was lost"));
      this.#failureCount = 0;
      this.#task.succeeded();
      if (!this.#isPoolerKnown && !(await connection.isDirect(statementMsMax))) {
        this.#isPoolerKnown = true;
        this.#options.onPooler();
      }
      this.#try();
    } catch (error) {
      this.#lose(error);
    }
  }

  #lose(cause: unknown): void {
    this.#connection?.close();
    this.#connection = null;
    this.#gathered.clear();
    this.#cancelTrial();
    if (this.#isClosed) return;
    const { clock, random } = this.#options;
    const waitMs = Math.min(reconnectMsMax, firstReconnectMs * 2 ** this.#failureCount) * (0.5 + random());
    this.#failureCount += 1;
    this.#task.failed(cause, Math.round(waitMs));
    this.#cancelPause = clock.after(waitMs, () => void this.#connect());
  }

  /** Says nothing to nobody, now and then: a connection that has gone without a notification shows so. */
  #try(): void {
    const connection = this.#connection;
    if (connection === null) return;
    this.#isTrial = true;
    if (!this.#isTelling) void this.#tellAll();
    this.#cancelTrial = this.#options.clock.after(silenceMsMax, () => {
      if (this.#connection === connection) this.#try();
    });
  }

  async #tellAll(): Promise<void> {
    this.#isTelling = true;
    while (this.#connection !== null && (this.#gathered.size > 0 || this.#isTrial)) {
      const notifications = [...this.#gathered.values()];
      this.#gathered.clear();
      this.#isTrial = false;
      try {
        for (const payload of payloadsOf(this.#node, notifications)) {
          await this.#run(this.#connection, "select pg_notify($1, $2)", [channel, payload]);
        }
      } catch {
        // Closing ends the connection, whose end is reported above.
        this.#connection?.close();
      }
      await new Promise<void>((resolve) => void this.#options.clock.after(pauseMs, resolve));
    }
    this.#isTelling = false;
  }

  async #run(connection: Connection | null, sql: string, parameters: readonly unknown[] = []): Promise<void> {
    await connection?.run({ sql, parameters, timeoutMs: statementMsMax });
  }

  #hear(payload: string): void {
    const { node, notifications } = readPayload(payload);
    if (node === this.#node) return;
    for (const notification of notifications) for (const listener of this.#listeners) listener(notification);
  }
}
