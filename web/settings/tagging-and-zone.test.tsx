import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { problem, renderUi } from "../testing/render-ui.tsx";
import { server, summary } from "../testing/samples.ts";
import { TaggingForm } from "./tagging-form.tsx";
import { ZoneForm } from "./danger-zone.tsx";

const rulesPath = "/api/servers/shop1234/tag-rules";
const zonePath = "/api/servers/shop1234/dns";

test("shows the messages that a tag rule finds now, and saves rules", async () => {
  const { user, requests } = renderUi(<TaggingForm server={server.id} />, {
    [`GET ${rulesPath}`]: { plusAddresses: false, rules: [{ q: "subject:invoice", tags: ["billing"] }] },
    "GET /api/messages": [1, 2, 3, 4, 5, 6].map(summary),
    [`PUT ${rulesPath}`]: {},
  });
  const rules = within(await screen.findByRole("list", { name: "Tag rules" }));
  await user.click(rules.getByRole("button", { name: "Preview" }));
  await screen.findByText("Newest messages that match subject:invoice:");
  screen.getByText("Subject 5");
  expect(screen.queryByText("Subject 6")).toBeNull();
  expect(screen.getByRole("link", { name: "Show all in the inbox" }).getAttribute("href")).toBe(
    "/servers/shop1234?q=subject%3Ainvoice",
  );
  await user.click(screen.getByRole("checkbox", { name: /plus addresses/ }));
  await user.click(screen.getByRole("button", { name: "New rule" }));
  const [, query] = screen.getAllByRole("textbox", { name: "Messages that match" });
  const [, tags] = screen.getAllByRole("textbox", { name: "Tags to add" });
  if (query === undefined || tags === undefined) throw new Error("the new rule has no fields");
  await user.type(query, "from:shop");
  await user.type(tags, "shop, , beta");
  await user.click(screen.getByRole("button", { name: "Save" }));
  await screen.findByText("Saved");
  expect(JSON.parse(requests.find((line) => line.startsWith("PUT"))?.split("tag-rules ")[1] ?? "")).toEqual({
    plusAddresses: true,
    rules: [
      { q: "subject:invoice", tags: ["billing"] },
      { q: "from:shop", tags: ["shop", "beta"] },
    ],
  });
});

test("shows why a query finds nothing or is not valid, and why rules are rejected", async () => {
  let found: Response | readonly object[] = [];
  const { user } = renderUi(<TaggingForm server={server.id} />, {
    [`GET ${rulesPath}`]: { plusAddresses: false, rules: [{ q: "nothing", tags: ["x"] }] },
    "GET /api/messages": () => found,
    [`PUT ${rulesPath}`]: problem(400, "Rules must not use after:"),
  });
  await user.click(await screen.findByRole("button", { name: "Preview" }));
  await screen.findByText("No messages received so far match.");
  found = problem(400, "An operator needs a value");
  await user.type(screen.getByRole("textbox", { name: "Messages that match" }), " from:");
  await user.click(screen.getByRole("button", { name: "Preview" }));
  expect((await screen.findByRole("alert")).textContent).toContain("An operator needs a value");
  await user.click(screen.getByRole("button", { name: "Save" }));
  await screen.findByText(/Rules must not use after:/);
});

test("sets a DNS zone, shows the line that cannot be parsed, and removes the zone", async () => {
  let zone: { zone: string; records: number } | null = null;
  let saved: Response | object = problem(400, "Line 1 has no type");
  const { user, requests } = renderUi(<ZoneForm server={server.id} />, {
    "GET /web/servers/shop1234/optional-settings": () => ({ scanner: null, zone }),
    [`PUT ${zonePath}`]: () => saved as Record<string, unknown>,
    [`DELETE ${zonePath}`]: () => new Response(null, { status: 204 }),
  });
  await screen.findByText("No zone: checks use DNS.");
  await user.type(screen.getByRole("textbox", { name: "Zone file (RFC 1035)" }), "example.com.");
  await user.click(screen.getByRole("button", { name: "Save" }));
  expect((await screen.findByRole("alert")).textContent).toContain("Line 1 has no type");
  zone = { zone: "example.com. A 127.0.0.1", records: 1 };
  saved = zone;
  await user.click(screen.getByRole("button", { name: "Save" }));
  await screen.findByText("1 record.");
  zone = null;
  await user.click(screen.getByRole("button", { name: "Remove zone" }));
  await screen.findByText("Zone removed");
  await screen.findByText("No zone: checks use DNS.");
  expect(requests).toContain(`DELETE ${zonePath}`);
});
