import { act, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { problem, renderUi } from "../testing/render-ui.tsx";
import { server } from "../testing/samples.ts";
import { deleteWithUndo, hiddenIds } from "./deletion.ts";

test("deletes many messages with few requests, shows the progress, and returns those that failed", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ["setTimeout", "clearTimeout"] });
  const ids = Array.from({ length: 450 }, (_, at) => `m${at}`);
  const answers = [Response.json({ deleted: 200, failed: [] }), problem(503, "Retry later")];
  const last = Promise.withResolvers<Response>();
  const { cache, requests } = renderUi(<p>List</p>, {
    "POST /web/servers/shop1234/deletions": async () => answers.shift() ?? last.promise,
  });
  act(() => deleteWithUndo(cache, server.id, ids));
  expect(hiddenIds.getState().size).toBe(450);
  await act(async () => vi.advanceTimersByTimeAsync(6000));
  await screen.findByText("400 of 450 messages deleted…");
  await act(async () => {
    last.resolve(Response.json({ deleted: 49, failed: ["m449"] }));
    await last.promise;
  });
  await screen.findByText("201 messages could not be deleted: Retry later");
  expect([...hiddenIds.getState()]).toEqual([...ids.slice(0, 200), ...ids.slice(400, 449)]);
  const sizes = requests.map((line) => (JSON.parse(line.slice(line.indexOf("{"))) as { ids: string[] }).ids.length);
  expect(sizes).toEqual([200, 200, 50]);
  hiddenIds.setState(new Set(), true);
  vi.useRealTimers();
});
