/** Previews and mail programs as the wire shows them: in the shape of today's libraries, and in that of those before 2026. */
import type { WantedPreview, Preview } from "../../operations/generate-previews.ts";
import type { EmailClientList } from "../../operations/list-email-clients.ts";
import { describeEmulation, type EmailClient } from "../../previews/email-client.ts";
import { decimal } from "./decimal.ts";
import { build, schemaOf, type WireSchema } from "./schema.ts";

/** A mail program; the libraries read `label` and `name`. */
export interface WireEmailClient {
  readonly label: string;
  readonly name: string;
  readonly group: EmailClient["group"];
  readonly platform: string;
  readonly viewport: EmailClient["viewport"];
  /** Written with a decimal point. */
  readonly pixelRatio: number;
  readonly dark: EmailClient["dark"];
  readonly images: EmailClient["images"];
  readonly emulates: string;
  readonly available: boolean;
}

/** A mail program as libraries before 2026 read it, under the names that each of them has for it. */
export interface WireFormerClient {
  readonly id: string;
  readonly name: string;
  readonly emailClient: string;
  readonly platformGroup: string;
  readonly platformType: string;
  readonly platformVersion: string;
  readonly canDisableImages: boolean;
  readonly status: "Available" | "Unavailable";
}

/** Body that asks for previews. */
export interface WirePreviewRequest {
  readonly emailClients?: readonly string[];
  readonly disableImages?: boolean;
}

/** Body that asks for previews, from libraries before 2026. */
export interface WireFormerRequest {
  readonly previews?: readonly { readonly emailClient?: string; readonly disableImages?: boolean }[];
}

const text = build.string();
const pixels = build.integer({ minimum: 1 });

/** A mail program. */
export const emailClientSchema: WireSchema<WireEmailClient> = schemaOf<WireEmailClient>()(
  build.object(
    {
      label: build.string({ description: "What requests for previews name it by." }),
      name: text,
      group: build.enum(["Desktop", "Mobile", "Web"]),
      platform: text,
      viewport: build.object({ width: pixels, height: pixels }, { description: "In CSS pixels." }),
      pixelRatio: build.number({ description: "Pixels of the picture for one CSS pixel." }),
      dark: build.enum(["no", "asked", "forced"], {
        description: "Whether the mail is told that dark is preferred, and whether colours are turned as well.",
      }),
      images: build.enum(["shown", "blocked"]),
      emulates: build.string({ description: "What of the program a preview emulates." }),
      available: build.boolean({ description: "Whether this service has a browser to make previews with." }),
    },
    { $id: "EmailClient" },
  ),
);

/** A mail program in the older interface. */
export const formerClientSchema: WireSchema<WireFormerClient> = schemaOf<WireFormerClient>()(
  build.object(
    {
      id: text,
      name: text,
      emailClient: text,
      platformGroup: text,
      platformType: text,
      platformVersion: text,
      canDisableImages: build.boolean(),
      status: build.enum(["Available", "Unavailable"]),
    },
    { $id: "FormerEmailClient" },
  ),
);

/** A preview. */
export const previewSchema: WireSchema<Preview> = schemaOf<Preview>()(
  build.object(
    {
      id: build.string({ description: "Names the preview for `GET /api/files/screenshots/{id}`." }),
      emailClient: build.string({ description: "The label." }),
      disableImages: build.boolean(),
    },
    { $id: "Preview" },
  ),
);

/** Body that asks for previews. */
export const previewRequestSchema: WireSchema<WirePreviewRequest> = schemaOf<WirePreviewRequest>()(
  build.object({
    emailClients: build.optional(build.array(text, { description: "Labels, 1 to 50." })),
    disableImages: build.optional(build.boolean({ description: "Shows no images in any of them." })),
  }),
);

/** Body that asks for previews, in the older interface. */
export const formerRequestSchema: WireSchema<WireFormerRequest> = schemaOf<WireFormerRequest>()(
  build.object({
    previews: build.optional(
      build.array(build.object({ emailClient: build.optional(text), disableImages: build.optional(build.boolean()) })),
    ),
  }),
);

/** The programs as the wire shows them. */
export function toWireClients({ clients, isAvailable }: EmailClientList): readonly WireEmailClient[] {
  return clients.map((client) => {
    const { label, name, group, platform, viewport, pixelRatio, dark, images } = client;
    const emulates = describeEmulation(client);
    const shown = { label, name, group, platform, viewport, pixelRatio: decimal(pixelRatio), dark, images };
    return { ...shown, emulates, available: isAvailable };
  });
}

/** The programs as the older interface shows them: each once, for there images are switched off by the request. */
export function toFormerClients({ clients, isAvailable }: EmailClientList): readonly WireFormerClient[] {
  return clients
    .filter(({ images }) => images === "shown")
    .map(({ formerId, name, group, platform }) => ({
      id: formerId,
      name,
      emailClient: name,
      platformGroup: group,
      platformType: platform,
      platformVersion: "",
      canDisableImages: true,
      status: isAvailable ? "Available" : "Unavailable",
    }));
}

/** What a request of today's libraries wants. */
export function requestedPreviews({
  emailClients = [],
  disableImages = false,
}: WirePreviewRequest): readonly WantedPreview[] {
  return emailClients.map((emailClient, at) => ({ field: `emailClients[${String(at)}]`, emailClient, disableImages }));
}

/** What a request of the older libraries wants. */
export function legacyRequestedPreviews({ previews = [] }: WireFormerRequest): readonly WantedPreview[] {
  return previews.map(({ emailClient = "", disableImages = false }, at) => {
    return { field: `previews[${String(at)}].emailClient`, emailClient, disableImages };
  });
}
