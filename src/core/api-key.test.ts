import { expect, test } from "vitest";
import { createRevocations } from "./api-key.ts";

test("listeners are notified of every revocation until they unsubscribe", () => {
  const revocations = createRevocations();
  const received: string[] = [];
  const listener = (): void => void received.push("twice");
  const unsubscribe = revocations.subscribe(listener);
  revocations.subscribe(listener);
  revocations.subscribe(() => received.push("other"));
  revocations.publish(null);
  expect(received).toEqual(["twice", "twice", "other"]);
  unsubscribe();
  unsubscribe();
  received.length = 0;
  revocations.publish(null);
  expect(received).toEqual(["twice", "other"]);
});

test("a listener that unsubscribes during a notification does not affect the others", () => {
  const revocations = createRevocations();
  let count = 0;
  const unsubscribe = revocations.subscribe(() => {
    unsubscribe();
  });
  revocations.subscribe(() => (count += 1));
  revocations.publish(null);
  expect(count).toBe(1);
});
