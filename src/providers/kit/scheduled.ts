/** Scheduled mails of a caller as the API of a provider lists them; the service finds them by their ids only. */
import type { EmailSession } from "../email.ts";
import { Collection } from "./objects.ts";
import { onProblem } from "./rejection.ts";

type Session = Pick<EmailSession, "objects" | "cancelEmail" | "rescheduleEmail">;

/** Scheduled mail with what the provider shows of it. */
export interface ScheduledItem<Shown> {
  readonly uuid: string;
  /** Milliseconds since the Unix epoch. */
  readonly sendAt: number;
  readonly shown: Shown;
}

/** Scheduled mails of a caller; those that have arrived are not listed any more. */
export class ScheduledEmails<Shown> {
  readonly #session: Session;
  readonly #items: Collection<ScheduledItem<Shown>>;

  constructor(session: Session) {
    this.#session = session;
    this.#items = new Collection(session, "scheduled");
  }

  /** Adds a mail that was scheduled. Cancels it and rejects with `limit_reached` when there are too many to list it. */
  async add(item: ScheduledItem<Shown>): Promise<void> {
    const adding = this.#items.create(item.uuid, item, { expiresAt: item.sendAt });
    await onProblem("limit_reached", adding, async (problem) => {
      await this.#session.cancelEmail(item.uuid);
      throw problem;
    });
  }

  /** Returns all mails in the order in which they were scheduled. */
  async all(): Promise<readonly ScheduledItem<Shown>[]> {
    return this.#items.all();
  }

  /** Returns a mail; undefined when there is none, or when it has arrived. */
  async find(uuid: string): Promise<ScheduledItem<Shown> | undefined> {
    return this.#items.find(uuid);
  }

  /** Cancels a mail; rejects as {@link EmailSession.cancelEmail}. */
  async cancel(uuid: string): Promise<void> {
    await this.#session.cancelEmail(uuid);
    await this.#items.remove(uuid);
  }

  /** Changes the instant of a mail; rejects as {@link EmailSession.rescheduleEmail}. */
  async reschedule(uuid: string, sendAt: number): Promise<void> {
    await this.#session.rescheduleEmail(uuid, sendAt);
    await this.#items.change(uuid, (item) => ({ ...item, sendAt }), { expiresAt: sendAt });
  }
}
