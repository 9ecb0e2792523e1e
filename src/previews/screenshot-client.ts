/** Email clients of screenshots: short names, dark modes, and one pixel for each CSS pixel. */
import { type EmailClient, emailClients, findEmailClient } from "./email-client.ts";

/** Labels of clients by their short names. */
const shortNames: Readonly<Record<string, string>> = {
  "apple-mail": "macos-applemail-lightmode",
  "apple-mail-ios": "iphone-16plus-applemail-lightmode-portrait",
  gmail: "web-gmail-lightmode",
  "gmail-android": "pixel-9-gmail-lightmode-portrait",
  "gmail-ios": "iphone-16plus-gmail-lightmode-portrait",
  "outlook-2021": "windows-outlook2021-lightmode",
  "outlook-com": "web-outlookcom-lightmode",
  "proton-mail": "web-protonmail-lightmode",
  "samsung-email": "galaxy-s24-samsungemail-lightmode-portrait",
  thunderbird: "macos-thunderbird-lightmode",
  "yahoo-mail": "web-yahoo-lightmode",
};
/** Clients that invert colours with their own algorithm, and have no row for it. */
const invertingClients: ReadonlySet<string> = new Set(["Gmail (iOS)", "Outlook (Windows)"]);

/** Short names of email clients, in alphabetical order. */
export const screenshotClientNames: readonly string[] = Object.keys(shortNames);

/**
 * Returns the client for a short name or a label, in any letter case, with pictures of one pixel for each CSS pixel; undefined if
 * there is none. `isDark` chooses its dark mode.
 */
export function findScreenshotClient(name: string, isDark: boolean): EmailClient | undefined {
  const client = findEmailClient(shortNames[name.toLowerCase()] ?? name);
  if (client === undefined) return undefined;
  if (!isDark || client.dark !== "no") return { ...client, pixelRatio: 1 };
  const row = emailClients.find(
    ({ caniemailName, viewport, images, dark }) =>
      dark !== "no" &&
      caniemailName === client.caniemailName &&
      viewport === client.viewport &&
      images === client.images,
  );
  const dark = invertingClients.has(client.caniemailName) ? "forced" : "asked";
  return { ...(row ?? { ...client, label: `${client.label}-dark`, dark }), pixelRatio: 1 };
}
