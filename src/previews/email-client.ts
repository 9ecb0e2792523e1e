/**
 * Table of the email clients that previews emulate. One row per client and device orientation.
 */
import { type MessageId, parseMessageId } from "../core/ids.ts";

/** Email client with the properties that a preview emulates. */
export interface EmailClient {
  /** Stable label; lower case with hyphens. */
  readonly label: string;
  readonly name: string;
  /** Id in the older interface, `/api/previews`; the label if that interface has no id for the client. */
  readonly formerId: string;
  readonly group: "Desktop" | "Mobile" | "Web";
  readonly platform: string;
  /** Name of the client in the data of caniemail.com; previews omit the features that it lacks. */
  readonly caniemailName: string;
  /** Size of the area that shows the mail, in CSS pixels. */
  readonly viewport: { readonly width: number; readonly height: number };
  /** Pixels of the picture for one CSS pixel. */
  readonly pixelRatio: number;
  /**
   * `asked`: `prefers-color-scheme: dark` matches. `forced`: the browser also inverts colours, for clients that do so
   * with their own algorithm.
   */
  readonly dark: "no" | "asked" | "forced";
  /** True if wide mails are scaled down until they fit, instead of being cut. */
  readonly zoomsOut: boolean;
  readonly images: "shown" | "blocked";
}

/** Suffix of the label of the variant that shows no images. */
const blockedEnding = "-imagesblocked";

const phone = { group: "Mobile", zoomsOut: true, images: "shown", dark: "no" } as const;
const iphone = { ...phone, platform: "iOS", viewport: { width: 430, height: 932 }, pixelRatio: 3 } as const;
const pixel = { ...phone, platform: "Android", viewport: { width: 412, height: 924 }, pixelRatio: 2.625 } as const;
const galaxy = { ...phone, platform: "Android", viewport: { width: 360, height: 780 }, pixelRatio: 3 } as const;
const desktop = { group: "Desktop", zoomsOut: false, images: "shown", dark: "no" } as const;
const mac = { ...desktop, platform: "macOS", viewport: { width: 900, height: 700 }, pixelRatio: 2 } as const;
const windows = { ...mac, platform: "Windows", pixelRatio: 1 } as const;
const web = { ...windows, group: "Web", platform: "Chrome", viewport: { width: 1000, height: 700 } } as const;

/** Name of a client, its name in the data of caniemail.com, and members that differ from those of its device. */
type Row = readonly [name: string, caniemailName: string, own?: Partial<Pick<EmailClient, "formerId" | "dark">>];

type Device = Omit<EmailClient, "label" | "name" | "formerId" | "caniemailName">;

/** Returns the clients of a device, by their labels. */
function clientsOf(device: Device, rows: Readonly<Record<string, Row>>): readonly EmailClient[] {
  return Object.entries(rows).map(([label, [name, caniemailName, own]]) => {
    return { ...device, label, name, formerId: label, caniemailName, ...own };
  });
}

const clients: readonly EmailClient[] = [
  ...clientsOf(iphone, {
    "iphone-16plus-applemail-lightmode-portrait": ["Apple Mail, iPhone 16 Plus, light", "Apple Mail (iOS)"],
    "iphone-16plus-applemail-darkmode-portrait": [
      "Apple Mail, iPhone 16 Plus, dark",
      "Apple Mail (iOS)",
      { dark: "asked" },
    ],
    "iphone-16plus-gmail-lightmode-portrait": ["Gmail, iPhone 16 Plus, light", "Gmail (iOS)"],
  }),
  ...clientsOf(pixel, {
    "pixel-9-gmail-lightmode-portrait": ["Gmail, Pixel 9, light", "Gmail (Android)"],
    "pixel-9-gmail-darkmode-portrait": ["Gmail, Pixel 9, dark", "Gmail (Android)", { dark: "forced" }],
  }),
  ...clientsOf(galaxy, {
    "galaxy-s24-samsungemail-lightmode-portrait": ["Samsung Email, Galaxy S24, light", "Samsung Email (Android)"],
  }),
  ...clientsOf(mac, {
    "macos-applemail-lightmode": ["Apple Mail, macOS, light", "Apple Mail (macOS)"],
    "macos-applemail-darkmode": ["Apple Mail, macOS, dark", "Apple Mail (macOS)", { dark: "asked" }],
    "macos-thunderbird-lightmode": ["Thunderbird, macOS, light", "Mozilla Thunderbird (macOS)"],
  }),
  ...clientsOf(windows, {
    "windows-outlook2021-lightmode": ["Outlook 2021, Windows, light", "Outlook (Windows)", { formerId: "OL2021" }],
  }),
  ...clientsOf(web, {
    "web-gmail-lightmode": ["Gmail, web, light", "Gmail (Desktop Webmail)"],
    "web-outlookcom-lightmode": ["Outlook.com, web, light", "Outlook (Outlook.com)"],
    "web-outlookcom-darkmode": ["Outlook.com, web, dark", "Outlook (Outlook.com)", { dark: "forced" }],
    "web-yahoo-lightmode": ["Yahoo! Mail, web, light", "Yahoo! Mail (Desktop Webmail)"],
    "web-protonmail-lightmode": ["Proton Mail, web, light", "ProtonMail (Desktop Webmail)"],
  }),
];

/** All clients, followed by the variant of each client without images. */
export const emailClients: readonly EmailClient[] = [...clients, ...clients.map(blocked)];

const byName: ReadonlyMap<string, EmailClient> = new Map(
  emailClients.flatMap((client) => [
    [client.label, client],
    [client.formerId.toLowerCase(), client],
  ]),
);

/** Returns the client for a label, or for an id of the older interface, in any letter case; undefined if there is none. */
export function findEmailClient(name: string): EmailClient | undefined {
  return byName.get(name.toLowerCase());
}

/** Returns the variant of a client that shows no images; the client itself if it shows none. */
export function withoutImages(client: EmailClient): EmailClient {
  return byName.get(client.label + blockedEnding) ?? client;
}

/** Returns one sentence that lists the emulated properties of the client. */
export function describeEmulation(client: EmailClient): string {
  const { viewport, pixelRatio, caniemailName, zoomsOut, dark, images } = client;
  const parts = [
    `Chromium at ${viewport.width}×${viewport.height} CSS pixels, ${pixelRatio} to one`,
    `without features that ${caniemailName} lacks according to caniemail.com`,
    ...(zoomsOut ? ["wide mails scaled down"] : []),
    ...(dark === "asked" ? ["prefers-color-scheme: dark"] : []),
    ...(dark === "forced" ? ["prefers-color-scheme: dark, and colours inverted by Chromium"] : []),
    ...(images === "blocked" ? ["no images"] : ["only images that are parts of the mail"]),
  ];
  return `${parts.join("; ")}. The client's own engine and fonts are not emulated.`;
}

function blocked(client: EmailClient): EmailClient {
  return {
    ...client,
    label: client.label + blockedEnding,
    formerId: client.formerId + blockedEnding,
    name: `${client.name}, images blocked`,
    images: "blocked",
  };
}

/** Labels of the clients of screenshots by their short names. */
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

/** Message and email client of a preview. */
export interface PreviewSubject {
  readonly message: MessageId;
  readonly client: EmailClient;
}

const messageIdLength = 36;

/**
 * Returns the id of a preview: the message's, a hyphen, the client's label. It contains everything that is needed to
 * render the preview, so any node with the message can do it and nothing is stored.
 */
export function encodePreviewId({ message, client }: PreviewSubject): string {
  return `${message}-${client.label}`;
}

/** Parses a preview's id, in any letter case; undefined if it is malformed or the client is unknown. */
export function parsePreviewId(text: string): PreviewSubject | undefined {
  const message = parseMessageId(text.slice(0, messageIdLength));
  const client = findEmailClient(text.slice(messageIdLength + 1));
  if (message === undefined || client === undefined || text[messageIdLength] !== "-") return undefined;
  return { message, client };
}
