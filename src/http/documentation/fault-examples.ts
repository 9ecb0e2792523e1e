/** Examples of fault rules. */
const rule = {
  name: "defer the first three",
  match: { stage: "rcpt", recipient: "*@abcd1234.restante.example.com" },
  when: { first: 3 },
  then: { reply: { code: 451, enhanced: "4.3.0", text: "Try again later" } },
  until: { afterMs: 600_000 },
};
const hit = {
  received: "2026-11-20T10:42:07.975Z",
  stage: "rcpt",
  clientAddress: "127.0.0.1",
  sender: "app@example.com",
  recipient: "anna@abcd1234.restante.example.com",
  provider: null,
  action: "reply",
};
const fault = { ...rule, state: "active", seen: 1, hits: 1, skipped: 0, lastHits: [hit] };

const held = {
  id: "6f1c2a9e-1a2b-8c3d-9e4f-5a6b7c8d9e0f",
  type: "Email",
  accepted: "2026-11-20T10:42:07.975Z",
  visibleAt: "2026-11-20T10:42:37.975Z",
  scanAt: null,
  from: "app@example.com",
  to: ["anna@abcd1234.restante.example.com"],
  recipients: 1,
  sizeBytes: 2381,
  provider: null,
  faults: ["late"],
  error: null,
};

/** Examples of responses, by the name of the schema. */
export const faultResponses: Readonly<Record<string, unknown>> = { Fault: fault, HeldMessage: held };

/** Examples of request bodies, by operation id. */
export const faultRequests: Readonly<Record<string, unknown>> = {
  putFaults: { items: [rule] },
  putServiceFaults: {
    items: [{ name: "slow", match: { stage: "after-data" }, when: { every: 10 }, then: { delayMs: 5000 } }],
  },
};
