/** Event webhooks: requests with one event each, and what events say when nothing else is known. */
import type { CallbackRequest, CallbackSigning, EventDetails, EventWebhooks, MailEvent } from "../callbacks.ts";
import { jsonBody } from "../formats/callback-values.ts";
import type { JsonObject } from "../formats/json-body.ts";

/** Returns the rendering of a provider whose requests have one event each. */
export function oneByOne(
  render: (event: MailEvent, signing: CallbackSigning) => CallbackRequest,
): Pick<EventWebhooks, "batchCountMax" | "render"> {
  return {
    batchCountMax: 1,
    render: ([event], signing) => {
      if (event === undefined) throw new RangeError("No event to render");
      return render(event, signing);
    },
  };
}

/** As {@link oneByOne}, for events that are JSON; `headers` returns the header fields of a request, its signature among them. */
export function jsonOneByOne({
  wire,
  headers,
}: {
  readonly wire: (event: MailEvent, signing: CallbackSigning) => JsonObject;
  readonly headers: (signing: CallbackSigning, event: MailEvent, body: Uint8Array) => CallbackRequest["headers"];
}): Pick<EventWebhooks, "batchCountMax" | "render"> {
  return oneByOne((event, signing) => {
    const body = jsonBody(wire(event, signing));
    return { headers: headers(signing, event, body), contentType: "application/json", body };
  });
}

/** User agent of a reader of whom nothing is known, where events describe the browser. */
export const usualBrowser = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";

/** Returns the client that opened or clicked, from the documentation network (RFC 5737) by default. */
export function readerOf(
  { ip = "192.0.2.1", userAgent, url = "https://example.com/" }: EventDetails,
  browser = "Mozilla/5.0",
): Required<Pick<EventDetails, "ip" | "userAgent" | "url">> {
  return { ip, userAgent: userAgent ?? browser, url };
}
