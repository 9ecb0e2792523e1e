import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { problem, renderUi, type Responses } from "../testing/render-ui.tsx";
import { message, server } from "../testing/samples.ts";
import type { LocalisationReport } from "../wire.ts";
import { TranslationsPage } from "./translations-page.tsx";

const report: LocalisationReport = {
  isMet: false,
  default: "en",
  locales: [
    { locale: "en", id: "m1", subject: "Your order", direction: "ltr", findings: [] },
    {
      locale: "ar",
      id: "m2",
      subject: "طلبك",
      direction: "rtl",
      findings: [
        { rule: "missing-translation", message: "It is that of en", subject: "Track it" },
        { rule: "plural", message: "Has the form of another number", subject: "5 يوم" },
      ],
    },
  ],
  overflowProblem: null,
};
const compare = "POST /api/analysis/localisation";

function open(search: string, responses: Responses) {
  history.replaceState(null, "", `/servers/${server.id}/translations${search}`);
  return renderUi(<TranslationsPage server={server.id} />, responses);
}

const bodiesOf = (requests: readonly string[]): readonly unknown[] =>
  requests
    .filter((line) => line.startsWith(compare))
    .map((line) => JSON.parse(line.slice(line.indexOf("{"))) as unknown);

test("shows the faults of each rule and mail, and leaves out a text that is equal in all languages", async () => {
  const { user, requests } = open("?mail=m1&mail=m2.ar", { [compare]: report });
  await screen.findByText("2 faults in 1 email");
  const row = screen.getByRole("row", { name: /^Arabic \(ar\)/ });
  expect(
    within(row)
      .getAllByRole("cell")
      .map((cell) => cell.textContent),
  ).toEqual(["طلبك", "1", "0", "0", "1", "0"]);
  expect(within(row).getByRole("link").getAttribute("href")).toBe("/servers/shop1234/messages/m2");
  screen.getByText("Has the form of another number");
  await user.click(screen.getByRole("button", { name: "Same in all languages" }));
  expect(location.search).toBe("?mail=m1&mail=m2.ar&keep=Track+it");
  await user.selectOptions(await screen.findByRole("combobox", { name: "Compare with" }), "Arabic (ar)");
  expect(location.search).toBe("?mail=m1&mail=m2.ar&default=ar&keep=Track+it");
  await user.click(await screen.findByRole("button", { name: /Remove.*Track it/ }));
  expect(location.search).toBe("?mail=m1&mail=m2.ar&default=ar");
  const messages = [{ id: "m1" }, { id: "m2", locale: "ar" }];
  expect(bodiesOf(requests)).toEqual([
    { messages, keep: [] },
    { messages, keep: ["Track it"] },
    { messages, default: "ar", keep: ["Track it"] },
    { messages, default: "ar", keep: [] },
  ]);
});

test("asks for the language of a mail that states none", async () => {
  const errors = [{ field: "messages[1].locale", detail: [{ description: "Name the locale", code: "required" }] }];
  const responses = [
    new Response(JSON.stringify({ type: "invalid", status: 400, message: "Bad", errors }), { status: 400 }),
  ];
  const { user } = open("?mail=m1&mail=m2", {
    [compare]: () => responses.pop() ?? report,
    "GET /api/messages/m1": message({ id: "m1", subject: "Your order" }),
    "GET /api/messages/m2": message({ id: "m2", subject: "Without" }),
  });
  await screen.findByText("Name the locale");
  const field = await screen.findByRole("textbox", { name: "Language of “Without”" });
  await screen.findByRole("textbox", { name: "Language of “Your order”" });
  expect((field as HTMLInputElement).required).toBe(true);
  await user.type(field, "ar");
  await user.click(screen.getByRole("button", { name: "Compare" }));
  await screen.findByText("2 faults in 1 email");
  expect(location.search).toBe("?mail=m1&mail=m2.ar");
  expect(screen.queryByRole("textbox")).toBeNull();
});

test("says what was not measured, and compares again on request", async () => {
  const locales = report.locales.slice(0, 1);
  const responses = ["No browser", null].map((overflowProblem) => ({ ...report, locales, overflowProblem }));
  const { user } = open("?mail=m1", { [compare]: () => responses.shift() ?? report });
  await screen.findByText("Overflowing text was not measured: No browser");
  screen.getByText("not measured");
  screen.getByText("No faults");
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await waitFor(() => {
    expect(screen.queryByText("not measured")).toBeNull();
  });
});

test("says why nothing can be compared", async () => {
  open("?mail=m9", { [compare]: () => problem(404, "Message not found") });
  await screen.findByText("Message not found");
});

test("says how to begin", async () => {
  open("", {});
  await screen.findByText("No emails are compared.");
});
