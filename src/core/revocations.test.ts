import { expect, test } from "vitest";
import { createRevocations } from "./revocations.ts";

test("listeners are notified of every revocation until they unsubscribe", () => {
  const revocations = createRevocations();
  const heard: string[] = [];
  const listener = (): void => void heard.push("twice");
  const leave = revocations.hear(listener);
  revocations.hear(listener);
  revocations.hear(() => heard.push("other"));
  revocations.tell(null);
  expect(heard).toEqual(["twice", "twice", "other"]);
  leave();
  leave();
  heard.length = 0;
  revocations.tell(null);
  expect(heard).toEqual(["twice", "other"]);
});

test("a listener that unsubscribes during a notification does not affect the others", () => {
  const revocations = createRevocations();
  let count = 0;
  const leave = revocations.hear(() => {
    leave();
  });
  revocations.hear(() => (count += 1));
  revocations.tell(null);
  expect(count).toBe(1);
});
