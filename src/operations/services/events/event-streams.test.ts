import { expect, test } from "vitest";
import { createBackgroundTasks } from "../../../core/background-tasks.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { createEventStreams } from "./event-streams.ts";

test("the task of event streams fails while an open stream fails", () => {
  const tasks = createBackgroundTasks(
    new FakeClock(),
    () => undefined,
    () => undefined,
  );
  const state = (): unknown => tasks.states().find(({ task }) => task === "event_streams")?.state;
  const streams = createEventStreams(tasks);
  const [one, other] = [streams.opened(), streams.opened()];
  expect(state()).toBe("idle");
  one.succeeded();
  expect(state()).toBe("ok");
  one.failed(new Error("away"), 500);
  other.failed(new Error("away"), 500);
  expect(state()).toBe("failing");
  one.succeeded();
  expect(state()).toBe("failing");
  streams.opened().succeeded();
  expect(state()).toBe("failing");
  other.closed();
  expect(state()).toBe("ok");
});
