import { screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { accountSession } from "../testing/samples.ts";
import { problem, renderUi } from "../testing/render-ui.tsx";
import { pageToken, requestJson, storePageToken } from "./client.ts";
import { followLinks, followOtherTabs, useSession } from "./session.ts";

function State() {
  const { data } = useSession();
  return <p>{data === undefined ? "loading" : data === null ? "signed out" : "signed in"}</p>;
}

afterEach(() => {
  storePageToken(null);
});

const signInElsewhere = (): void => {
  dispatchEvent(new StorageEvent("storage", { key: "restante-session", newValue: "a-token" }));
};
const session = () => (pageToken() === null ? problem(401, "Unauthorized") : { ...accountSession });

test("asks the service for no session without a token", async () => {
  const { requests } = renderUi(<State />, { "GET /web/session": session }, null);
  await screen.findByText("signed out");
  expect(requests).toEqual([]);
});

test("signs a signed-out tab in when another tab signs in", async () => {
  const { cache, requests } = renderUi(<State />, { "GET /web/session": session }, null);
  followOtherTabs(cache);
  await screen.findByText("signed out");
  signInElsewhere();
  await screen.findByText("signed in");
  expect(requests).toEqual(["GET /web/session"]);
});

test("signs in when another tab replaces a rejected token during the request for the session", async () => {
  storePageToken("old-token");
  const followed = Promise.withResolvers<void>();
  const response = async () => {
    await followed.promise;
    if (pageToken() === "a-token") return { ...accountSession };
    signInElsewhere();
    return problem(401, "Unauthorized");
  };
  const { cache } = renderUi(<State />, { "GET /web/session": response }, null);
  followOtherTabs(cache);
  followed.resolve();
  await screen.findByText("signed in");
  expect(screen.queryByText("signed out")).toBeNull();
});

test("keeps the token for the tabs that are opened later, until the session has ended", async () => {
  storePageToken("old-token");
  expect(localStorage.getItem("restante-session")).toBe("old-token");
  expect(sessionStorage.length).toBe(0);
  renderUi(<State />, { "GET /web/session": () => problem(401, "Unauthorized") }, null);
  await screen.findByText("signed out");
  expect(localStorage.getItem("restante-session")).toBeNull();
});

test("repeats a read that was rejected because the page signed in again meanwhile", async () => {
  storePageToken("old-token");
  const sent: (string | undefined)[] = [];
  vi.stubGlobal("fetch", async (_path: string, init?: RequestInit) => {
    const token = (init?.headers as Readonly<Record<string, string>> | undefined)?.["x-restante-session"];
    sent.push(token);
    if (token === "new-token") return Response.json(["found"]);
    storePageToken("new-token");
    return problem(401, "Unauthorized");
  });
  expect(await requestJson("/api/servers")).toEqual(["found"]);
  expect(sent).toEqual(["old-token", "new-token"]);
  storePageToken("old-token");
  await expect(requestJson("/api/servers", { method: "POST" })).rejects.toMatchObject({ status: 401 });
});

test("reloads for a sign-in link that changes only the fragment of the address, and for no other fragment", () => {
  const reload = vi.fn<() => void>();
  followLinks(reload);
  const follow = (hash: string): void => {
    history.replaceState(null, "", hash);
    dispatchEvent(new Event("hashchange"));
  };
  follow("#content");
  expect(reload).not.toHaveBeenCalled();
  follow(`#token=${"x".repeat(43)}`);
  expect(reload).toHaveBeenCalledOnce();
  history.replaceState(null, "", "#");
});
