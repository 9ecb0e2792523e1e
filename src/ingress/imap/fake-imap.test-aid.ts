import type { Context } from "../../operations/context.ts";
/** IMAP listener for tests over mailboxes in memory. */
import type { ByteBudget } from "../../core/byte-budget.ts";
import { systemClock } from "../../core/clock.ts";
import { createEventHub } from "../../core/events.ts";
import { encodeMessageId, type ServerId } from "../../core/ids.ts";
import { defaultLimits } from "../../core/limits.ts";
import { noMarks } from "../../core/marks.ts";
import { readStructure } from "../../mime/structure/read-structure.ts";
import { MailboxIndexes, MailboxView } from "../../operations/mailboxes/open-mailbox.ts";
import type { Mailboxes } from "../../operations/mailboxes/mailboxes.ts";
import type { LineListenerOptions } from "../lines/line-listener.ts";
import type { OpenListener } from "../lines/session-listener.ts";
import { startImapServer } from "./session.ts";

const server = "abcd1234" as ServerId;
/** Mail of all messages. */
export const fakeMail: Buffer = Buffer.from("From: a@example.com\r\nSubject: s\r\n\r\nText\r\n");
const access = { server, principal: { keyId: "k", server }, mayWrite: true, isOpen: null, clientAddress: "" };

/** Mailboxes of {@link startFakeImap}. */
export interface FakeMailboxes {
  readonly messageCount: number;
  /** Called before mailboxes and marks are read; may throw. */
  readonly onRead?: () => void;
  /** Called before a header section is read. */
  readonly onReadHead?: () => void;
}

/** Returns mailboxes whose messages all are {@link fakeMail}. */
function fakeMailboxes({ messageCount, onRead, onReadHead }: FakeMailboxes): Mailboxes {
  const ids = Array.from({ length: messageCount }, (_, at) =>
    encodeMessageId({ server, direction: "Received", receivedAt: 1e12 + at, random: at * 1024 }),
  );
  const store = {
    getServer: async () => ({ uidValidity: 1e9 }),
    listChanges: async () => [],
    marks: {
      listIdentities: async () => ({
        identities: ids.map((id, at) => ({ id, sequence: at + 1 })),
        cursor: ids.length,
        hasMore: false,
      }),
    },
  } as unknown as Context["store"];
  const indexes = new MailboxIndexes({ store, events: createEventHub() } as Context);
  const structure = readStructure(fakeMail, defaultLimits);
  const counts = { messageCount, unseenCount: messageCount, recentCount: 0, uidValidity: 1, cursor: messageCount };
  return {
    access: async ({ password }) => (password === "right" ? access : undefined),
    isOpen: async () => true,
    openMailbox: async (_, direction) => {
      onRead?.();
      const opened = await indexes.open({ server, direction });
      return { ...opened, view: new MailboxView(opened.index, "password") };
    },
    status: async () => ({ ...counts, uidNext: messageCount + 1 }),
    listTags: async () => [],
    readMarks: async (_, some) => {
      onRead?.();
      return some.map((id) => ({ id, marks: noMarks, sequence: 1 }));
    },
    listMarks: async () => [],
    changeMarks: async () => ({ sequence: undefined, changed: [] }),
    measure: async (_, some) => some.map(() => fakeMail.length),
    open: async () => ({
      sizeBytes: fakeMail.length,
      async *read({ first, last } = { first: 0, last: fakeMail.length - 1 }) {
        yield await Promise.resolve(fakeMail.subarray(first, last + 1));
      },
    }),
    readHead: async () => {
      onReadHead?.();
      return fakeMail.subarray(0, fakeMail.indexOf("Text"));
    },
    readFacts: async () => ({ headers: [], sizeBytes: fakeMail.length }),
    readEnvelope: async () => structure.envelope,
    readStructure: async () => structure,
    decode: async (_, body, encoding) => (encoding === "x" ? undefined : body),
    search: async (_, { uids }) => [...uids],
    append: async () => 6,
    copy: async () => 6,
    deletion: async () => "delete",
    remove: async () => undefined,
    discard: async () => undefined,
  };
}

/** Opens a listener over such mailboxes. */
export async function startFakeImap(
  mailboxes: FakeMailboxes,
  budget: ByteBudget,
  { log, metrics }: Pick<LineListenerOptions, "log" | "metrics">,
): Promise<OpenListener> {
  return await startImapServer(
    {
      hosts: ["127.0.0.1"],
      port: 0,
      implicitTls: false,
      hostname: "test",
      secureContext: () => undefined,
      allowsClearText: () => true,
      onTlsFailure: () => undefined,
      limits: { ...defaultLimits, messageBytesMax: 512 * 1024 },
      clock: systemClock,
      operations: fakeMailboxes(mailboxes),
      log,
      metrics,
    },
    budget,
  );
}
