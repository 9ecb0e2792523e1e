/** The mail page against a simulated service. */
import { screen, within } from "@testing-library/react";
import type { ReactElement } from "react";
import { useRoute } from "../navigation/location.tsx";
import { renderUi, type Rendered, type Responses } from "../testing/render-ui.tsx";
import { accountSession } from "../testing/samples.ts";
import type { Summary } from "../wire.ts";
import { MailPage } from "./mail-page.tsx";

/** Returns the response to a request for a list. */
export function listOf(items: readonly Summary[]): Response {
  return new Response(JSON.stringify(items), {
    headers: { "x-total-count": String(items.length), "x-cursor": String(items.length) },
  });
}

/** Renders the page of an address. */
export function openMailPage(path: string, responses: Responses): Rendered {
  history.replaceState(null, "", path);
  return renderUi(<Page />, {
    "GET /web/glances": [],
    "GET /api/servers/shop1234/password": { value: "x" },
    ...responses,
  });
}

/** Returns the rows of the list. */
export function shownRows(): readonly HTMLElement[] {
  return within(screen.getByRole("region", { name: "Messages" })).getAllByRole("listitem");
}

function Page(): ReactElement {
  const route = useRoute();
  return route.kind === "mail" ? <MailPage session={accountSession} {...route} /> : <p>Elsewhere</p>;
}
