import { expect, test } from "vitest";
import type { ServerId } from "../../core/ids.ts";
import type { StoredDelivery } from "../../store/callback-store.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { DeliveryFailure } from "../delivery-failure.ts";
import { attemptCallback } from "./attempt-callback.ts";
import type { CallbackReceiver } from "./delivery-content.ts";

function stored(fields: Partial<StoredDelivery>): StoredDelivery {
  return {
    id: "delivery",
    number: 1,
    server: "abcd1234" as ServerId,
    target: "target",
    queue: "target",
    message: null,
    deliversMessage: false,
    type: "bounced",
    content: new Uint8Array(),
    attemptsMax: null,
    dueAt: 0,
    createdAt: 0,
    status: "Pending",
    attemptCount: 1,
    scheduleStep: 1,
    attempts: [],
    nextAttemptAt: 0,
    ...fields,
  };
}

/** Failure of the connection, or of the service itself before a request was sent. */
const failure = (isLocalRefusal: boolean): DeliveryFailure =>
  new DeliveryFailure("failed", { stage: "connect", replyCode: null, isLocalRefusal });

interface Attempt {
  /** Status of the response, or error of the connection. */
  readonly result: number | Error;
  readonly fields?: Partial<StoredDelivery>;
}

const defective: Partial<StoredDelivery> = { attemptsMax: 1 };
const withoutTarget: Partial<StoredDelivery> = { target: null };

test.each<[string, boolean | undefined, Attempt]>([
  ["works after a success", false, { result: 204 }],
  ["works after a success of a request with a defect", false, { result: 204, fields: defective }],
  ["fails after an error status", true, { result: 500 }],
  ["fails after 410", true, { result: 410 }],
  ["fails after a connection error", true, { result: failure(false) }],
  ["may work after a refused defect", undefined, { result: 403, fields: defective }],
  ["may work after a URL that the policy refuses", undefined, { result: failure(true) }],
  ["does not exist for callbacks of an SMS", undefined, { result: 500, fields: withoutTarget }],
])("the target %s", async (_title, expected, { result, fields = {} }) => {
  const request = { headers: {}, contentType: "text/plain", body: new Uint8Array() };
  const receiver: CallbackReceiver = {
    batchCountMax: 1,
    render: async () => ({ url: "http://app.test/", request, deliveryCount: 1 }),
  };
  const { outcomes } = await attemptCallback(
    {
      clock: new FakeClock(),
      openReceiver: async () => receiver,
      send: async () => {
        if (typeof result !== "number") throw result;
        return { status: result, retryAfterMs: null };
      },
      firstPauseMs: 5000,
      random: () => 0.5,
      onError: (error) => expect.unreachable(String(error)),
    },
    {
      first: { item: stored(fields), lease: "lease", leaseEndsAt: 1000 },
      extend: () => [{ item: stored(fields), lease: "lease", leaseEndsAt: 1000 }],
      putBack: () => undefined,
    },
  );
  expect(outcomes.map(({ isTargetFailing }) => isTargetFailing)).toEqual([expected]);
});

test("an error of the code that renders says nothing about the target", async () => {
  const errors: unknown[] = [];
  const first = { item: stored({}), lease: "lease", leaseEndsAt: 1000 };
  const { outcomes } = await attemptCallback(
    {
      clock: new FakeClock(),
      openReceiver: () => Promise.reject(new Error("bug")),
      send: () => expect.unreachable("nothing is sent"),
      firstPauseMs: 5000,
      random: () => 0.5,
      onError: (error) => errors.push(error),
    },
    { first, extend: () => [first], putBack: () => undefined },
  );
  expect(outcomes).toMatchObject([{ status: "Pending" }]);
  expect(outcomes[0]?.isTargetFailing).toBeUndefined();
  expect(errors).toHaveLength(1);
});

test.each([
  [200, "Delivered", 1],
  [404, "Pending", 0],
])("the response is read after a success only: %s", async (status, expected, count) => {
  const answers: unknown[] = [];
  const first = { item: stored({}), lease: "lease", leaseEndsAt: 1000 };
  const request = { headers: {}, contentType: "", body: new Uint8Array() };
  const onResponse = async (answer: unknown): Promise<void> => void answers.push(answer);
  const callback = { url: "http://app.test/", request, deliveryCount: 1, onResponse };
  const answer = { status, headers: {}, body: Buffer.from("thanks") };
  const { outcomes } = await attemptCallback(
    {
      clock: new FakeClock(),
      openReceiver: async () => ({ batchCountMax: 1, render: async () => callback }),
      send: async () => ({ status, retryAfterMs: null, answer }),
      firstPauseMs: 5000,
      random: () => 0.5,
      onError: (error) => expect.unreachable(String(error)),
    },
    { first, extend: () => [first], putBack: () => undefined },
  );
  expect([outcomes[0]?.status, answers]).toEqual([expected, Array.from({ length: count }, () => answer)]);
});
