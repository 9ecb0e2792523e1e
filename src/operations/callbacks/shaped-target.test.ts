import type { Context } from "../context.ts";
import { describe, expect, test } from "vitest";
import type { ServerId } from "../../core/ids.ts";
import type { CallbackStore, CallbackTarget, TargetChange } from "../../store/callback-store.ts";
import type { Store } from "../../store/store.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { newConfirmationToken, subscriptionsOf } from "./shaped-target.ts";

const id = "5d3f9c1e-7a60-4b7c-8f21-2f6f0a9b1c4d";
const token = newConfirmationToken(id);
const options = { topicArn: "arn:aws:sns:eu-west-1:000000000000:mail" };

interface Subject {
  readonly subscriptions: ReturnType<typeof subscriptionsOf>;
  readonly current: () => CallbackTarget;
  readonly wakeCount: () => number;
}

/** Subscriptions over a store with one target; `lostCount` updates lose to another change. */
function open(changes: Partial<CallbackTarget> = {}, lostCount = 0): Subject {
  const settings = { options, publicKey: "PEM", confirmation: { token, confirmedAt: null } };
  let target: CallbackTarget = {
    id,
    server: "abcd1234" as ServerId,
    kind: "events",
    shape: "ses",
    settingsJson: JSON.stringify(settings),
    sealedSecrets: null,
    state: "paused",
    stateReason: null,
    sinceSequence: 0,
    version: 1,
    createdAt: 0,
    ...changes,
  };
  let lost = lostCount;
  let wakes = 0;
  const callbacks: Pick<CallbackStore, "getTarget" | "updateTarget"> = {
    getTarget: async (asked) => (asked === target.id ? target : undefined),
    updateTarget: async (_id: string, change: TargetChange, { version }) => {
      if (lost > 0) {
        lost -= 1;
        target = { ...target, version: target.version + 1 };
      }
      if (version !== undefined && version !== target.version) return undefined;
      target = { ...target, ...change, version: target.version + 1 };
      return target;
    },
  };
  const wakeCallbacks = (): void => {
    wakes += 1;
  };
  const store = { callbacks } as unknown as Store;
  const clock = new FakeClock();
  return {
    subscriptions: subscriptionsOf({ store, clock, wakeCallbacks } as unknown as Context),
    current: () => target,
    wakeCount: () => wakes,
  };
}

function confirmedAtOf({ settingsJson }: CallbackTarget): unknown {
  return (JSON.parse(settingsJson) as { confirmation: { confirmedAt: unknown } }).confirmation.confirmedAt;
}

describe("confirm", () => {
  test.each([0, 1, 3])("starts a paused target when %i other changes are faster", async (lostCount) => {
    const { subscriptions, current, wakeCount } = open({}, lostCount);
    expect(await subscriptions.confirm(token)).toEqual({ target: id, options });
    expect([current().state, typeof confirmedAtOf(current()), wakeCount()]).toEqual(["active", "number", 1]);
  });

  test("succeeds again and changes nothing", async () => {
    const { subscriptions, current, wakeCount } = open();
    await subscriptions.confirm(token);
    const { version } = current();
    expect(await subscriptions.confirm(token)).toEqual({ target: id, options });
    expect([current().version, wakeCount()]).toEqual([version, 1]);
  });

  test.each([
    ["another token of the target", newConfirmationToken(id)],
    ["a token of no target", newConfirmationToken("00000000-0000-4000-8000-000000000000")],
    ["the id alone", id],
    ["nothing", ""],
    ["capital letters", token.toUpperCase()],
  ])("refuses %s", async (_name, given) => {
    const { subscriptions, current } = open();
    expect(await subscriptions.confirm(given)).toBeNull();
    expect(current().version).toBe(1);
  });

  test("does not start a disabled target", async () => {
    const { subscriptions, current } = open({ state: "disabled", stateReason: "410" });
    await subscriptions.confirm(token);
    expect([current().state, typeof confirmedAtOf(current())]).toEqual(["disabled", "number"]);
  });
});

describe("unsubscribe", () => {
  test.each<Partial<CallbackTarget>>([{}, { kind: "inbound" }])("disables the target", async (changes) => {
    const { subscriptions, current } = open(changes);
    expect(await subscriptions.unsubscribe(id)).toBe(true);
    expect(current()).toMatchObject({ state: "disabled", stateReason: "The receiver unsubscribed" });
  });

  test.each<Partial<CallbackTarget>>([
    { kind: "webhook", shape: "", settingsJson: "{}" },
    { kind: "events", shape: "sendgrid" },
    { kind: "inbound", shape: "postmark" },
  ])("does not disable %j, whose format has no subscriptions, or unknown ids", async (changes) => {
    const { subscriptions, current } = open(changes);
    expect(await subscriptions.unsubscribe(id)).toBe(false);
    expect(await subscriptions.unsubscribe("x")).toBe(false);
    expect(current().version).toBe(1);
  });
});

test("publicKeyOf returns the key of event webhooks and inbound routes only", async () => {
  expect(await open().subscriptions.publicKeyOf(id)).toBe("PEM");
  expect(await open({ kind: "inbound" }).subscriptions.publicKeyOf(id)).toBe("PEM");
  expect(await open({ kind: "webhook" }).subscriptions.publicKeyOf(id)).toBeNull();
  expect(await open().subscriptions.publicKeyOf("x")).toBeNull();
});
