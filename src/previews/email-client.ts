/**
 * Table of the email clients that previews emulate. One row per client and device orientation.
 */

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
const desktop = { group: "Desktop", zoomsOut: false, images: "shown", dark: "no" } as const;
const mac = { ...desktop, platform: "macOS", viewport: { width: 900, height: 700 }, pixelRatio: 2 } as const;
const web = {
  group: "Web",
  platform: "Chrome",
  viewport: { width: 1000, height: 700 },
  pixelRatio: 1,
  zoomsOut: false,
  images: "shown",
  dark: "no",
} as const;

type Row = Omit<EmailClient, "formerId"> & Partial<Pick<EmailClient, "formerId">>;

const rows: readonly Row[] = [
  {
    ...iphone,
    label: "iphone-16plus-applemail-lightmode-portrait",
    name: "Apple Mail, iPhone 16 Plus, light",
    caniemailName: "Apple Mail (iOS)",
  },
  {
    ...iphone,
    label: "iphone-16plus-applemail-darkmode-portrait",
    name: "Apple Mail, iPhone 16 Plus, dark",
    caniemailName: "Apple Mail (iOS)",
    dark: "asked",
  },
  {
    ...iphone,
    label: "iphone-16plus-gmail-lightmode-portrait",
    name: "Gmail, iPhone 16 Plus, light",
    caniemailName: "Gmail (iOS)",
  },
  {
    ...pixel,
    label: "pixel-9-gmail-lightmode-portrait",
    name: "Gmail, Pixel 9, light",
    caniemailName: "Gmail (Android)",
  },
  {
    ...pixel,
    label: "pixel-9-gmail-darkmode-portrait",
    name: "Gmail, Pixel 9, dark",
    caniemailName: "Gmail (Android)",
    dark: "forced",
  },
  {
    ...phone,
    label: "galaxy-s24-samsungemail-lightmode-portrait",
    name: "Samsung Email, Galaxy S24, light",
    caniemailName: "Samsung Email (Android)",
    platform: "Android",
    viewport: { width: 360, height: 780 },
    pixelRatio: 3,
  },
  { ...mac, label: "macos-applemail-lightmode", name: "Apple Mail, macOS, light", caniemailName: "Apple Mail (macOS)" },
  {
    ...mac,
    label: "macos-applemail-darkmode",
    name: "Apple Mail, macOS, dark",
    caniemailName: "Apple Mail (macOS)",
    dark: "asked",
  },
  {
    ...mac,
    label: "macos-thunderbird-lightmode",
    name: "Thunderbird, macOS, light",
    caniemailName: "Mozilla Thunderbird (macOS)",
  },
  {
    ...desktop,
    label: "windows-outlook2021-lightmode",
    name: "Outlook 2021, Windows, light",
    formerId: "OL2021",
    platform: "Windows",
    caniemailName: "Outlook (Windows)",
    viewport: { width: 900, height: 700 },
    pixelRatio: 1,
  },
  { ...web, label: "web-gmail-lightmode", name: "Gmail, web, light", caniemailName: "Gmail (Desktop Webmail)" },
  {
    ...web,
    label: "web-outlookcom-lightmode",
    name: "Outlook.com, web, light",
    caniemailName: "Outlook (Outlook.com)",
  },
  {
    ...web,
    label: "web-outlookcom-darkmode",
    name: "Outlook.com, web, dark",
    caniemailName: "Outlook (Outlook.com)",
    dark: "forced",
  },
  {
    ...web,
    label: "web-yahoo-lightmode",
    name: "Yahoo! Mail, web, light",
    caniemailName: "Yahoo! Mail (Desktop Webmail)",
  },
  {
    ...web,
    label: "web-protonmail-lightmode",
    name: "Proton Mail, web, light",
    caniemailName: "ProtonMail (Desktop Webmail)",
  },
];

/** All clients, followed by the variant of each client without images. */
export const emailClients: readonly EmailClient[] = [
  ...rows.map((row) => ({ formerId: row.label, ...row })),
  ...rows.map((row) => blocked({ formerId: row.label, ...row })),
];

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
