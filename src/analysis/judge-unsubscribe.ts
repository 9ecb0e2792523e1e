/** Judgement of the response to a one-click unsubscribe request. */
import { unsubscribeMsMax, type UnsubscribeCheck, type UnsubscribeResponse } from "../core/unsubscribe.ts";
import { scanHtml } from "./html-scanner.ts";
import { readVisibleText } from "./visible-reader.ts";

/** Response to judge. */
export interface JudgedResponse extends UnsubscribeResponse {
  /** Value of Content-Type; "" without one. */
  readonly contentType: string;
  /** Start of the body. */
  readonly body: string;
}

/** Words of pages that report success, in the languages that senders use most. */
const done =
  /\b(?:(?:have|has|been|are|were|successfully) (?:been )?(?:now )?(?:unsubscribed|removed|opted out)|no longer (?:receive|get|subscribed)|abgemeldet|ausgetragen|désabonn\w+|désinscri\w+|dado de baja|cancelad[ao]|disiscritt\w|uitgeschreven|afgemeld)/iu;

/** Returns the checks of a response: status, page of confirmation or login, duration. Linear in the body. */
export function judgeUnsubscribeResponse(response: JudgedResponse): readonly UnsubscribeCheck[] {
  const status = judgeStatus(response.status);
  const isLate = response.durationMs > unsubscribeMsMax;
  const took = `The response took ${String(Math.round(response.durationMs))} ms`;
  return [
    status,
    status.result === "pass" ? judgePage(response) : skipped("confirmation", "There is no page to judge."),
    check("duration", !isLate, isLate ? `${took}; allowed are ${String(unsubscribeMsMax)}.` : `${took}.`),
  ];
}

function judgeStatus(status: number): UnsubscribeCheck {
  const text = `The target responded with status ${String(status)}`;
  if (status >= 200 && status <= 299) return check("response", true, `${text}.`);
  const isRedirect = status >= 300 && status <= 399;
  return check(
    "response",
    false,
    isRedirect ? `${text}: redirects are not allowed (RFC 8058 section 3.1).` : `${text}.`,
  );
}

/** Judges whether the page demands a further action, which a one-click request must not need (RFC 8058 §3.1). */
function judgePage({ contentType, body }: JudgedResponse): UnsubscribeCheck {
  const isHtml = /^\s*(?:text\/html|application\/xhtml)/i.test(contentType) || /^\s*<(?:!doctype|html)\b/i.test(body);
  if (!isHtml) return check("confirmation", true, "The response demands no further action.");
  const { hasPassword, hasForm, hasRefresh } = readPage(body);
  if (hasPassword) return check("confirmation", false, "The response is a page that asks for a login.");
  if (done.test(readVisibleText(body))) return check("confirmation", true, "The page reports success.");
  if (hasForm)
    return check("confirmation", false, "The response is a page with a form, which asks for a confirmation.");
  if (hasRefresh) return check("confirmation", false, "The response is a page that leads to another address.");
  return check("confirmation", true, "The page demands no further action.");
}

interface Page {
  readonly hasPassword: boolean;
  readonly hasForm: boolean;
  readonly hasRefresh: boolean;
}

function readPage(html: string): Page {
  let [hasPassword, hasForm, hasRefresh] = [false, false, false];
  scanHtml(html, {
    open: (tag) => {
      if (tag.name === "form" || tag.name === "button") hasForm = true;
      if (tag.name === "input" && tag.attribute("type")?.toLowerCase() === "password") hasPassword = true;
      if (tag.name === "meta" && tag.attribute("http-equiv")?.toLowerCase() === "refresh") hasRefresh = true;
    },
    close: () => undefined,
    text: () => undefined,
  });
  return { hasPassword, hasForm, hasRefresh };
}

/** Returns a check that passed or failed. */
export function check(name: UnsubscribeCheck["name"], isPassed: boolean, text: string): UnsubscribeCheck {
  return { name, result: isPassed ? "pass" : "fail", text };
}

/** Returns a check that was not made. */
export function skipped(name: UnsubscribeCheck["name"], text: string): UnsubscribeCheck {
  return { name, result: "skipped", text };
}
