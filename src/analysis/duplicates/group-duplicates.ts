/** Groups of messages with the same content for the same recipients. */
import {
  duplicateDifferenceCountMax,
  duplicateFields,
  type DuplicateDifference,
  type DuplicateField,
} from "../../core/duplicates.ts";
import type { VolatileValues } from "./fingerprint.ts";

/** Message to group. */
export interface ComparedMessage {
  /** Equal for messages with the same content. */
  readonly content: string;
  /** Compared without regard to letter case; bounded by the caller. */
  readonly recipients: readonly string[];
  /** Milliseconds since the Unix epoch. */
  readonly receivedAt: number;
}

/** Messages of a group. */
export interface GroupedMessages<Compared> {
  /** In alphabetical order. */
  readonly recipients: readonly string[];
  /** At least two, newest first. */
  readonly members: readonly Compared[];
}

/**
 * Returns the groups of messages, newest first: each holds the messages with one content that the same recipients have
 * received, of which each arrived at most `withinMs` after the one before. A message may belong to several groups.
 * `messages` are newest first.
 */
export function groupDuplicates<Compared extends ComparedMessage>(
  messages: readonly Compared[],
  withinMs: number,
): readonly GroupedMessages<Compared>[] {
  const order = new Map(messages.map((message, index) => [message, index]));
  const groups = [...Map.groupBy(messages, ({ content }) => content).values()]
    .filter(({ length }) => length > 1)
    .flatMap((same) => groupByRecipients(same, { withinMs, order }));
  return groups.toSorted((one, other) => (order.get(first(one)) ?? 0) - (order.get(first(other)) ?? 0));
}

function groupByRecipients<Compared extends ComparedMessage>(
  messages: readonly Compared[],
  {
    withinMs,
    order,
  }: {
    readonly withinMs: number;
    readonly order: ReadonlyMap<Compared, number>;
  },
): readonly GroupedMessages<Compared>[] {
  const received = new Map<string, Compared[]>();
  for (const message of messages) {
    const recipients = new Set(message.recipients.map((one) => one.toLowerCase()));
    for (const recipient of recipients.size === 0 ? [""] : recipients) {
      const known = received.get(recipient);
      if (known === undefined) received.set(recipient, [message]);
      else known.push(message);
    }
  }
  const groups = new Map<string, { readonly recipients: string[]; readonly members: readonly Compared[] }>();
  for (const [recipient, all] of received) {
    for (const members of splitAtPauses(all, withinMs)) {
      const key = members.map((member) => order.get(member)).join(",");
      const known = groups.get(key);
      if (known === undefined) groups.set(key, { recipients: [recipient], members });
      else known.recipients.push(recipient);
    }
  }
  return Array.from(groups.values(), ({ recipients, members }) => {
    return {
      recipients: recipients.filter((one) => one !== "").toSorted(),
      members,
    };
  });
}

/** Splits messages, newest first, wherever one arrived more than `withinMs` after the one before; drops single ones. */
function splitAtPauses<Compared extends ComparedMessage>(
  messages: readonly Compared[],
  withinMs: number,
): readonly (readonly Compared[])[] {
  const runs: Compared[][] = [];
  let previous: Compared | undefined;
  for (const message of messages) {
    const run = runs.at(-1);
    if (run === undefined || previous === undefined || previous.receivedAt - message.receivedAt > withinMs)
      runs.push([message]);
    else run.push(message);
    previous = message;
  }
  return runs.filter(({ length }) => length > 1);
}

function first<Compared>({ members }: GroupedMessages<Compared>): Compared {
  const [newest] = members;
  if (newest === undefined) throw new Error("a group has no members");
  return newest;
}

/** Values of a message by field, each list aligned between messages with the same content. */
const valuesByField: Readonly<Record<DuplicateField, (values: VolatileValues) => readonly (string | null)[]>> = {
  messageId: ({ messageId }) => [messageId],
  date: ({ date }) => [date],
  from: ({ from }) => [from],
  subject: ({ subject }) => [subject],
  code: ({ codes }) => codes,
  link: ({ links }) => links,
  attachment: ({ attachments }) => attachments,
  text: ({ values }) => values,
};

/**
 * Returns the differences between messages of a group, field by field, each once: a code that the text repeats is listed
 * as a code only. At most `duplicateDifferenceCountMax`.
 */
export function differencesOf(messages: readonly VolatileValues[]): readonly DuplicateDifference[] {
  const differences = new Map<string, DuplicateDifference>();
  for (const field of duplicateFields) {
    const rows = messages.map(valuesByField[field]);
    const length = Math.max(0, ...rows.map((row) => row.length));
    for (let index = 0; index < length && differences.size < duplicateDifferenceCountMax; index += 1) {
      const values = rows.map((row) => row[index] ?? null);
      if (new Set(values).size < 2) continue;
      const key = JSON.stringify(values.map((value) => value?.replaceAll(/[\s-]/g, "") ?? null));
      if (!differences.has(key)) differences.set(key, { field, values });
    }
  }
  return [...differences.values()];
}
