/** Sample values of the service for component tests. */
import type { Key, Message, Role, Server, Session, Summary } from "../wire.ts";

/** Session of an account key. */
export const accountSession: Session = {
  url: "http://127.0.0.1:8025",
  smtp: { host: "127.0.0.1", port: 1025 },
  mailDomain: "restante.test",
  version: "1.0.0",
  smsProviders: [],
  providerLabels: {},
  verified: [],
  server: null,
  isAccount: true,
  user: null,
  hasPeople: false,
  scope: "full",
};

/** Session of an account key that may only read. */
export const readOnlySession: Session = { ...accountSession, scope: "read" };

/** Session of a key that is restricted to {@link server}. */
export const restrictedSession: Session = { ...accountSession, server: "shop1234", isAccount: false };

/** Session of a user with a role in the team of {@link server}, which {@link teamServer} has. */
export function sessionOfMember(role: Role): Session {
  const access = ({ viewer: "read", tester: "test", manager: "full" } as const)[role];
  const team = { id: "team1", name: "Payments", role, access };
  const user = { id: "user1", email: "ann@corp.example", name: "Ann", isWhole: true, teams: [team] };
  return { ...accountSession, isAccount: false, scope: access, hasPeople: true, user };
}

/** A server without messages. */
export const server: Server = {
  id: "shop1234",
  name: "Shop",
  messages: 0,
  retention: { ageSecondsMax: null, messageCountMax: null },
  quota: { messages: null, bytes: null },
  usage: { messages: 0, bytes: 0 },
  readerDeletion: "delete",
  team: null,
  expiresAt: null,
  retired: 0,
} as unknown as Server;

/** The server, owned by the team of {@link sessionOfMember}. */
export const teamServer: Server = { ...server, team: "team1" };

const contact = (email: string): Summary["from"][number] => ({ name: "", email, phone: null });

/** Returns a message of a list; a higher number is a newer message. */
export function summary(number: number): Summary {
  return {
    id: `m${number}`,
    type: "Email",
    server: server.id,
    subject: `Subject ${number}`,
    summary: "Some words",
    attachments: 0,
    received: new Date(Date.UTC(2026, 0, 1, 0, 0, number)).toISOString(),
    from: [contact("app@example.com")],
    to: [contact(`user-${number}@shop1234.restante.test`)],
    cc: [],
    bcc: [],
  } as unknown as Summary;
}

/** Returns an email with changes. */
export function message(change: Partial<Message> = {}): Message {
  return {
    ...summary(1),
    html: { body: "<p>Hello</p>", links: [], codes: [], images: [] },
    text: { body: "Hello", links: [], codes: [] },
    attachments: [],
    defects: [],
    metadata: {
      headers: [],
      ehlo: null,
      mailFrom: "app@example.com",
      rcptTo: [contact("user-1@shop1234.restante.test")],
    },
    ...change,
  };
}

/** An account key that never expires and was never used. */
export const key: Key = {
  id: "k1",
  name: "CI",
  server: null,
  scope: "full",
  createdAt: "2026-01-01T00:00:00.000Z",
  expires: null,
  lastUsed: null,
} as unknown as Key;
