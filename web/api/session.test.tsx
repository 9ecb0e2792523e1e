import { screen } from "@testing-library/react";
import { expect, onTestFinished, test } from "vitest";
import { accountSession } from "../testing/samples.ts";
import { problem, renderUi } from "../testing/render-ui.tsx";
import { followOtherTabs, useSession } from "./session.ts";

function State() {
  const { data } = useSession();
  return <p>{data === undefined ? "loading" : data === null ? "signed out" : "signed in"}</p>;
}

test("signs in a signed-out tab when another tab sends its token, however late", async () => {
  let isTokenSent = false;
  const { cache, requests } = renderUi(<State />, {
    "GET /web/session": () => (isTokenSent ? { ...accountSession } : problem(401, "Unauthorized")),
  });
  followOtherTabs(cache);
  await screen.findByText("signed out");
  const otherTab = new BroadcastChannel("restante-session");
  onTestFinished(() => {
    otherTab.close();
  });
  isTokenSent = true;
  otherTab.postMessage({ kind: "token", token: "a-token" });
  await screen.findByText("signed in");
  expect(requests).toEqual(["GET /web/session", "GET /web/session"]);
});
