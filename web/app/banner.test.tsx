import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderUi } from "../testing/render-ui.tsx";
import { DegradedNotice } from "./banner.tsx";

const task = { task: "relay", state: "failing", backlog: 3, lastSuccess: null, degrades: null, lastFailure: null };

test("shows no notice while background tasks work", async () => {
  const { requests } = renderUi(<DegradedNotice />, {
    "GET /api/status": { tasks: [task] },
  });
  await expect.poll(() => requests).toEqual(["GET /api/status"]);
  expect(screen.queryByText(/degraded/)).toBeNull();
});
