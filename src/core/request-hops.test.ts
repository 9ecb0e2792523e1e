import { expect, test } from "vitest";
import { currentHops, loopFields, readHops, withHops } from "./request-hops.ts";

test.each([
  [undefined, 0],
  ["", 0],
  ["cdn.example", 0],
  ["restante-scanner", 0],
  ["restante", 1],
  ["restante; hops=3", 3],
  ["cdn.example; x=1, Restante; hops=4", 4],
  ["restante; hops=2, restante", 3],
  ["restante; hops=-1", 1],
  ["restante; hops=99999999", 1],
])("reads CDN-Loop %j as %i services", (field, count) => {
  expect(readHops(field)).toBe(count);
});

test("counts one more for each request, and keeps the count in what runs for it", async () => {
  expect(readHops(loopFields(2)["cdn-loop"])).toBe(3);
  expect(currentHops()).toBe(0);
  const inside = withHops(3, async () => {
    await Promise.resolve();
    return [currentHops(), withHops(0, currentHops)];
  });
  expect(await inside).toEqual([3, 0]);
  expect(currentHops()).toBe(0);
});
