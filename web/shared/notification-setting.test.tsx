import { screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import type { ReactElement } from "react";
import { renderUi } from "../testing/render-ui.tsx";
import { areNotificationsOn, useNotifications } from "./notification-setting.ts";

function Switch(): ReactElement {
  const notifications = useNotifications();
  if (notifications === null) return <p>none</p>;
  const [state, switchState] = notifications;
  return (
    <button type="button" onClick={() => void switchState()}>
      {state}
    </button>
  );
}

/** Simulates the permission of a browser; returns the number of times that it was asked for. */
function simulatePermission(
  permission: NotificationPermission,
  answer: NotificationPermission = permission,
): () => number {
  const simulated = { permission, asked: 0 };
  vi.stubGlobal("isSecureContext", true);
  vi.stubGlobal("Notification", {
    get permission() {
      return simulated.permission;
    },
    requestPermission: async () => {
      simulated.asked += 1;
      simulated.permission = answer;
      return answer;
    },
  });
  return () => simulated.asked;
}

afterEach(async () => {
  // The setting outlives a test: files share their modules.
  if (areNotificationsOn()) screen.queryByRole("button")?.click();
});

test("asks for permission only by a click, and remembers the choice", async () => {
  const askedCount = simulatePermission("default", "granted");
  const { user } = renderUi(<Switch />, {});
  expect([screen.getByRole("button").textContent, askedCount(), areNotificationsOn()]).toEqual(["off", 0, false]);
  await user.click(screen.getByRole("button"));
  expect([screen.getByRole("button").textContent, askedCount()]).toEqual(["on", 1]);
  expect(localStorage.getItem("restante.notifications")).toBe("on");
  await user.click(screen.getByRole("button"));
  expect([screen.getByRole("button").textContent, areNotificationsOn()]).toEqual(["off", false]);
});

test("stays off when the browser denies the permission", async () => {
  simulatePermission("default", "denied");
  const { user } = renderUi(<Switch />, {});
  await user.click(screen.getByRole("button"));
  await screen.findByText("blocked");
  expect([areNotificationsOn(), localStorage.getItem("restante.notifications")]).toEqual([false, "off"]);
});

test("is not offered on pages without notifications", () => {
  vi.stubGlobal("isSecureContext", false);
  renderUi(<Switch />, {});
  screen.getByText("none");
});
