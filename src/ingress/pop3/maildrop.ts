/** Maildrops and their locks. */
import type { Clock } from "../../core/clock.ts";
import type { MessageId, ServerId } from "../../core/ids.ts";
import type { MailboxAccess } from "../../operations/mailboxes/access-mailbox.ts";
import type { Pop3Operations } from "./session.ts";

/** Messages that a maildrop shows at most: those that were stored last. */
export const maildropMessageCountMax = 10_000;

/** A message of a maildrop; its number is its position, from 1. */
export interface MaildropMessage {
  readonly number: number;
  readonly id: MessageId;
  readonly sizeBytes: number;
}

/** The messages of a server as they were when the session began (RFC 1939 section 5). */
export class Maildrop {
  readonly access: MailboxAccess;
  /** Whether the server let clients delete messages when the session began; QUIT checks again. */
  readonly mayDelete: boolean;
  readonly #messages: readonly MaildropMessage[];
  readonly #deleted = new Set<number>();

  private constructor(access: MailboxAccess, mayDelete: boolean, messages: readonly MaildropMessage[]) {
    this.access = access;
    this.mayDelete = mayDelete;
    this.#messages = messages;
  }

  /** Opens the maildrop of a server. */
  static async open(operations: Pop3Operations, access: MailboxAccess): Promise<Maildrop> {
    const ids = await operations.list(access, maildropMessageCountMax);
    const sizes = await operations.measure(access, ids);
    return new Maildrop(
      access,
      await operations.mayDelete(access),
      ids.map((id, index) => ({ number: index + 1, id, sizeBytes: sizes[index] ?? 0 })),
    );
  }

  /** Messages that are not marked as deleted. */
  get messages(): readonly MaildropMessage[] {
    return this.#deleted.size === 0
      ? this.#messages
      : this.#messages.filter(({ number }) => !this.#deleted.has(number));
  }

  /** Sum of the sizes of {@link messages}. */
  get sizeBytes(): number {
    return this.messages.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }

  /** Returns a message by the number that a client wrote; undefined for another text, or when it is marked as deleted. */
  find(text: string): MaildropMessage | undefined {
    if (!/^0*[1-9]\d{0,9}$/.test(text)) return undefined;
    const message = this.#messages[Number(text) - 1];
    return message === undefined || this.#deleted.has(message.number) ? undefined : message;
  }

  /** Marks a message as deleted until the end of the session. */
  markDeleted({ number }: MaildropMessage): void {
    this.#deleted.add(number);
  }

  /** Removes all marks. */
  reset(): void {
    this.#deleted.clear();
  }

  /** Deletes the marked messages; returns the number of those that could not be deleted. Rejects as `remove` does. */
  async update(operations: Pop3Operations, onFailure: (error: unknown) => void): Promise<number> {
    if (this.#deleted.size === 0) return 0;
    let failureCount = 0;
    const marked = this.#messages.filter(({ number }) => this.#deleted.has(number));
    await operations.remove(
      this.access,
      marked.map(({ id }) => id),
      (error) => {
        onFailure(error);
        failureCount += 1;
      },
    );
    return failureCount;
  }
}

/** Time without a command after which another session may take over a maildrop. */
export const lockIdleMsMax = 60_000;

/** Lock of a maildrop by one session. */
export interface MaildropLock {
  /** Records a command of the session. */
  touch(): void;
  release(): void;
}

interface Holder {
  lastCommandAt: number;
  readonly evict: () => void;
}

/**
 * Exclusive locks of maildrops in this process (RFC 1939 section 4). A lock expires when its session has sent no command for
 * {@link lockIdleMsMax} and another one wants it, so that a client that was killed blocks nobody for long.
 */
export class MaildropLocks {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #holders = new Map<ServerId, Holder>();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** Locks a maildrop; undefined while another session uses it. `evict` is called when the lock is taken over. */
  acquire(server: ServerId, evict: () => void): MaildropLock | undefined {
    const now = this.#clock.monotonicMs();
    const present = this.#holders.get(server);
    if (present !== undefined && now - present.lastCommandAt <= lockIdleMsMax) return undefined;
    const holder: Holder = { lastCommandAt: now, evict };
    this.#holders.set(server, holder);
    present?.evict();
    return {
      touch: () => {
        holder.lastCommandAt = this.#clock.monotonicMs();
      },
      release: () => {
        if (this.#holders.get(server) === holder) this.#holders.delete(server);
      },
    };
  }
}
